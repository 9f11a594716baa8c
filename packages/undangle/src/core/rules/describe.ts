import type { ResultEntry } from "../history.ts";

/** How a sentence speaks of a result. */
export const describeResult = ({ id }: ResultEntry): string =>
  id === "" ? "A result without an id" : `The result for ${shorten(id)}`;

/** Long texts are shown by their beginning. */
export const shorten = (text: string, most = 60): string => (text.length <= most ? text : `${text.slice(0, most)}…`);
