import { isRecord, jsonText } from "#core";
import type { Assembly, Choice, SaidItem } from "#core";

type Wire = Readonly<Record<string, unknown>>;

/**
 * OpenRouter's `reasoning_details`: what its models have signed or encrypted, whatever format theirs is. A block comes in
 * pieces, its signature often in a last one without words, and has to go back in one.
 */
export interface Details {
  note(choice: Choice, details: readonly unknown[]): void;
  /** Seals the reasoning of every choice that has something sealed. */
  apply(): void;
}

export function createDetails(assembly: Assembly): Details {
  const all = new Map<Choice, { readonly item: SaidItem; readonly blocks: Block[] }>();
  return {
    note(choice, details) {
      if (details.length === 0) return;
      const known = all.get(choice) ?? { item: assembly.begin(choice, "reasoning"), blocks: [] };
      all.set(choice, known);
      for (const detail of details) if (isRecord(detail)) add(known.blocks, detail);
    },
    apply() {
      for (const { item, blocks } of all.values()) {
        const isSealed = blocks.some(
          ({ signature, data }) => typeof signature === "string" || typeof data === "string",
        );
        if (isSealed) item.seal = { owner: "openrouter", value: jsonText(blocks) };
      }
    },
  };
}

type Block = Record<string, unknown>;

/** Pieces of a block have its index, or follow each other. */
function add(blocks: Block[], detail: Wire): void {
  const { type, index } = detail;
  const known =
    typeof index === "number"
      ? blocks.findLast((block) => block["index"] === index && block["type"] === type)
      : blocks.at(-1);
  const isMore =
    known !== undefined &&
    known["type"] === type &&
    known["index"] === index &&
    known["data"] === undefined && // what is encrypted comes whole
    typeof known["signature"] !== "string";
  if (!isMore) {
    blocks.push({ ...detail });
    return;
  }
  for (const [key, value] of Object.entries(detail)) {
    const before = known[key];
    const isText = (key === "text" || key === "summary") && typeof value === "string" && typeof before === "string";
    if (isText) known[key] = before + value;
    else if (value !== undefined && value !== null) known[key] = value;
  }
}
