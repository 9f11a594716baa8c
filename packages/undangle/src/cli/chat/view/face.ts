import type { Paint } from "../../terminal/palette.ts";
import type { ChatTexts } from "../texts/chat-texts.ts";

/** How a chat looks at this moment: its words, its colours, and how much room there is. */
export interface Face {
  readonly texts: ChatTexts;
  readonly paint: Paint;
  /** Of the terminal; lines are narrower than that. */
  readonly columns: number;
}

/** How wide a line may be: one column stays free, or the terminal would break it by itself. */
export const roomIn = ({ columns }: Pick<Face, "columns">): number => Math.max(columns - 1, 8);

/** How wide text is set: long lines are hard to read. */
export const measureIn = (face: Pick<Face, "columns">): number => Math.min(roomIn(face), 100);
