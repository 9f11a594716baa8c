import type { ResultEntry } from "../history.ts";

/** How a sentence speaks of a result. */
export const describeResult = ({ id }: ResultEntry): string =>
  id === "" ? "A result without an id" : `The result for ${id}`;
