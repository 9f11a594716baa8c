import { isRecord, mintCallId } from "#core";

/** The ids in use, in the prompt and in the current turn. */
export interface CallIds {
  /** True if the id was free; it is in use afterwards. */
  claim(id: string): boolean;
  /** A free id that depends only on the seed and on the ids in use. */
  fresh(seed: string): string;
}

export function createCallIds(prompt: readonly unknown[]): CallIds {
  let used: Set<string> | undefined; // collected on demand: most turns need no new id
  const claim = (id: string): boolean => {
    used ??= new Set(idsIn(prompt));
    if (id === "" || used.has(id)) return false;
    used.add(id);
    return true;
  };
  return {
    claim,
    fresh(seed) {
      for (let again = 0; ; again++) {
        const id = mintCallId(again === 0 ? seed : `${seed}\n${again}`);
        if (claim(id)) return id;
      }
    },
  };
}

function* idsIn(prompt: readonly unknown[]): Generator<string> {
  for (const message of prompt) {
    const content: unknown = isRecord(message) ? message["content"] : undefined;
    if (!Array.isArray(content)) continue;
    for (const part of content as readonly unknown[]) {
      if (isRecord(part) && typeof part["toolCallId"] === "string") yield part["toolCallId"];
    }
  }
}
