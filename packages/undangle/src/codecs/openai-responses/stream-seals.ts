import { textOf } from "#core";
import type { Seal } from "#core";

import type { Item } from "./stream-items.ts";

type Wire = Readonly<Record<string, unknown>>;

/** The data by which OpenAI identifies items of a response: encrypted reasoning, ids of stored items, and phases. */
export interface Seals {
  /** Records the data of an item. */
  note(item: Item, wire: Wire): void;
  /** Nothing is kept: ids name nothing. */
  forgetIds(): void;
  /** Adds the data to every item. */
  apply(): void;
}

export function createSeals(): Seals {
  const seals = new Map<Item, Seal>();
  let isKept = true;
  return {
    note(item, wire) {
      const { type, id, encrypted_content: encrypted, phase } = wire;
      if (typeof type !== "string" || type.startsWith("response.")) return; // an event about it
      if (!isSent(item)) isKept = false;
      const known = seals.get(item);
      const given = textOf(id) ?? known?.id;
      const value = (type === "reasoning" ? textOf(encrypted) : undefined) ?? known?.value ?? "";
      const kind = (type === "message" ? textOf(phase) : undefined) ?? known?.phase;
      seals.set(item, {
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
      for (const [{ slot, said }, noted] of seals) {
        const seal = noted.value === "" && !isKept ? withoutId(noted) : noted;
        if (seal.value === "" && seal.id === undefined && seal.phase === undefined) continue;
        if (slot !== undefined) slot.seal = seal;
        if (said !== undefined) said.seal = seal;
      }
    },
  };
}

const withoutId = ({ id: _id, ...seal }: Seal): Seal => seal;

/**
 * True for what a history holds. Of what OpenAI ran itself it holds nothing, and reasoning that is named by its id must be
 * followed by just what it led to: then nothing is named.
 */
const isSent = ({ kind }: Item): boolean =>
  kind === "call" || kind === "message" || kind === "reasoning" || kind === "image_generation_call";
