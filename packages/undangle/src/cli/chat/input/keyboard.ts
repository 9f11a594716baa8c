import { heldKeys, isPasting, readKeys } from "./keys.ts";
import type { Key } from "./keys.ts";

/** Parses terminal input into keys, regardless of how it is chunked. */
export interface Keyboard {
  typed(text: string): void;
  close(): void;
}

/** Milliseconds after which an escape character is the Escape key, not the start of a sequence. */
const patience = 40;

/**
 * A chunk with only Ctrl-C ends a paste whose end marker was lost. A timeout cannot: late parts of a slow paste would
 * count as keys, and their line breaks would send them.
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
