import { heldKeys, isPasting, readKeys } from "./keys.ts";
import type { Key } from "./keys.ts";

/** Makes keys of what a terminal sends, whatever pieces it comes in. */
export interface Keyboard {
  typed(text: string): void;
  close(): void;
}

/** Milliseconds after which an escape character is the Escape key, and not the beginning of another one. */
const patience = 40;

/**
 * Ctrl-C, alone in a piece, ends a paste whose end was lost and would take every key. Time does not: what comes late of a slow
 * paste would be taken for keys, and its line ends would send it.
 */
const interrupt = "\u0003";

export function createKeyboard(pressed: (keys: readonly Key[]) => void): Keyboard {
  let held = "";
  let waiting: NodeJS.Timeout | undefined;
  const giveUp = (): void => {
    const late = heldKeys(held);
    held = "";
    pressed(late);
  };
  return {
    typed(text) {
      clearTimeout(waiting);
      if (isPasting(held) && text === interrupt) return giveUp();
      const read = readKeys(held, text);
      ({ held } = read);
      if (held !== "" && !isPasting(held)) waiting = setTimeout(giveUp, patience);
      return pressed(read.keys);
    },
    close: () => clearTimeout(waiting),
  };
}
