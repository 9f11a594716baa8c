import type { Paint } from "../../terminal/palette.ts";
import type { ChatTexts } from "../texts/chat-texts.ts";

/** The current look of a chat: texts, colours and size. */
export interface Face {
  readonly texts: ChatTexts;
  readonly paint: Paint;
  /** The width of the terminal. Lines are narrower. */
  readonly columns: number;
  /** The height of the terminal. Infinity without one. */
  readonly rows: number;
}

/** The width of a line. One column stays free, because the terminal would wrap a full line. */
export const roomIn = ({ columns }: Pick<Face, "columns">): number => Math.max(columns - 1, 8);

/** The width of running text. Long lines are hard to read. */
export const measureIn = (face: Pick<Face, "columns">): number => Math.min(roomIn(face), 100);
