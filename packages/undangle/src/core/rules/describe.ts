import type { ResultEntry } from "../history.ts";

/** The subject of a message about a result. */
export const describeResult = ({ id }: ResultEntry): string =>
  id === "" ? "A result without an id" : `The result for ${shorten(id)}`;

/** Shortens a long text. */
export const shorten = (text: string, most = 60): string => (text.length <= most ? text : `${text.slice(0, most)}…`);
