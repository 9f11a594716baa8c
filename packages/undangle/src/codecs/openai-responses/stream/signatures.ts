import { textOf } from "#core";
import type { JsonObject, Seal } from "#core";

import type { Item } from "./items.ts";

/** The data by which OpenAI identifies items of a response: encrypted reasoning, ids of stored items, and phases. */
export interface Signatures {
  /** Records the data of an item. */
  note(item: Item, wire: JsonObject): void;
  /** Discards ids, because the server does not store the response. */
  forgetIds(): void;
  /** Adds the data to every item. */
  apply(): void;
}

export function createSignatures(): Signatures {
  const signatures = new Map<Item, Seal>();
  let isKept = true;
  return {
    note(item, wire) {
      const { type, id, encrypted_content: encrypted, phase } = wire;
      if (typeof type !== "string" || type.startsWith("response.")) return; // an event of the item
      if (!isSent(item)) isKept = false;
      const known = signatures.get(item);
      const given = textOf(id) ?? known?.id;
      const value = (type === "reasoning" ? textOf(encrypted) : undefined) ?? known?.value ?? "";
      const kind = (type === "message" ? textOf(phase) : undefined) ?? known?.phase;
      signatures.set(item, {
        owner: "openai",
        value,
        ...(given !== undefined && { id: given }),
        ...(kind !== undefined && { phase: kind }),
      });
    },
    forgetIds() {
      isKept = false;
    },
    apply() {
      for (const [{ slot, textItem }, noted] of signatures) {
        const seal = noted.value === "" && !isKept ? withoutId(noted) : noted;
        if (seal.value === "" && seal.id === undefined && seal.phase === undefined) continue;
        if (slot !== undefined) slot.seal = seal;
        if (textItem !== undefined) textItem.seal = seal;
      }
    },
  };
}

const withoutId = ({ id: _id, ...seal }: Seal): Seal => seal;

/**
 * True for items that a history contains. It omits items of tools that OpenAI ran. Stored reasoning must be followed by
 * exactly the items that it produced, so no ids are kept if an item is omitted.
 */
const isSent = ({ kind }: Item): boolean =>
  kind === "call" || kind === "message" || kind === "reasoning" || kind === "image_generation_call";
