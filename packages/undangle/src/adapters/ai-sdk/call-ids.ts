import { hashHex, isRecord } from "#core";

/** The ids that are in use, of the prompt and of the turn that answers it. */
export interface CallIds {
  /** True when the id was free; it is in use then. */
  claim(id: string): boolean;
  /** An id that was free, and depends on nothing but the seed and on what is in use. */
  fresh(seed: string): string;
}

export function createCallIds(prompt: readonly unknown[]): CallIds {
  let used: Set<string> | undefined; // gathered when the first id is asked for: most turns have none
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
        const id = `call_${hashHex(again === 0 ? seed : `${seed}\n${again}`)}`;
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
