/** What a client has heard so far, for a server that waits until it is heard. */
export interface Ear {
  readonly hear: (text: string) => void;
  readonly text: () => string;
  /** Settles when something more was heard. */
  readonly more: () => Promise<void>;
}

export function createEar(): Ear {
  let text = "";
  let waiting: (() => void)[] = [];
  return {
    hear(piece) {
      text += piece;
      const woken = waiting;
      waiting = [];
      for (const wake of woken) wake();
    },
    text: () => text,
    more: () => new Promise((resolve) => void waiting.push(resolve)),
  };
}

/** A text that says where it stands: pieces of eight signs, one of which is of two bytes. */
export const marked = (kind: "t" | "r", from: number, count: number): string =>
  Array.from({ length: count }, (_, i) => `[${kind}ü${String(from + i).padStart(4, "0")}]`).join("");

/** The marks in a text. */
export const marksIn = (text: string): readonly string[] => text.match(/\[[tr]ü\d{4}\]/gu) ?? [];
