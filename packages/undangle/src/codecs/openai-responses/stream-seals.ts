import { textOf } from "#core";
import type { Seal } from "#core";

import type { Item } from "./stream-items.ts";

type Wire = Readonly<Record<string, unknown>>;

/** By what OpenAI knows the items of an answer again: reasoning that it has encrypted, and the ids of what it keeps. */
export interface Seals {
  /** Takes down what an item says of itself. */
  note(item: Item, wire: Wire): void;
  /** Nothing is kept: ids name nothing. */
  forgetIds(): void;
  /** Gives every item its seal. */
  apply(): void;
}

export function createSeals(): Seals {
  const seals = new Map<Item, Seal>();
  let isKept = true;
  return {
    note(item, wire) {
      const { type, id, encrypted_content: encrypted } = wire;
      if (typeof type !== "string" || type.startsWith("response.")) return; // an event about it
      if (!isSent(item)) isKept = false;
      const known = seals.get(item);
      const given = textOf(id) ?? known?.id;
      const value = (type === "reasoning" ? textOf(encrypted) : undefined) ?? known?.value ?? "";
      seals.set(item, { owner: "openai", value, ...(given !== undefined && { id: given }) });
    },
    forgetIds() {
      isKept = false;
    },
    apply() {
      for (const [{ slot, said }, seal] of seals) {
        if (seal.value === "" && (!isKept || seal.id === undefined)) continue;
        if (slot !== undefined) slot.seal = seal;
        if (said !== undefined) said.seal = seal;
      }
    },
  };
}

/**
 * True for what a history holds. Of what OpenAI ran itself it holds nothing, and reasoning that is named by its id must be
 * followed by just what it led to: then nothing is named.
 */
const isSent = ({ kind }: Item): boolean =>
  kind === "call" || kind === "message" || kind === "reasoning" || kind === "image_generation_call";
