import { UndangleError } from "#core";

import { comparablePath } from "./canonical-path.ts";

/** Only these names have a second Unicode spelling: U+212A, U+037E and U+1FEF are K, ; and ` in another one. */
export const hasSpellings = (name: string): boolean => /[^\u0020-\u007e]|[K;`]/u.test(name);

/** Refuses a new name beside others if one of them is its other Unicode spelling: a reader would take the two for one. */
export function refuseOtherSpelling(path: string, name: string, siblings: readonly string[]): void {
  const comparable = comparablePath(name);
  if (siblings.some((sibling) => sibling !== name && comparablePath(sibling) === comparable))
    throw new UndangleError("file/path", { path, reason: "other-spelling" });
}
