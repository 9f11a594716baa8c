import { isRecord, jsonText, textOf } from "#core";
import type { Assembly, Choice, JsonObject, TextItem } from "#core";

/**
 * OpenRouter's `reasoning_details`: signed or encrypted reasoning of any upstream format. A block arrives in deltas,
 * its signature often in a last one without text, and must be sent back whole.
 */
export interface Details {
  note(choice: Choice, details: readonly unknown[]): void;
  /** Adds signatures to the reasoning of every choice that has any. */
  apply(): void;
}

export function createDetails(assembly: Assembly): Details {
  const all = new Map<Choice, Kept>();
  return {
    note(choice, details) {
      if (details.length === 0) return;
      const known = all.get(choice) ?? { item: assembly.begin(choice, "reasoning"), blocks: [], places: new Map() };
      all.set(choice, known);
      for (const detail of details) if (isRecord(detail)) add(known, detail);
    },
    apply() {
      for (const { item, blocks } of all.values()) {
        const isSigned = blocks.some(
          ({ signature, data }) => typeof signature === "string" || typeof data === "string",
        );
        if (isSigned) item.seal = { owner: "openrouter", value: jsonText(blocks) };
      }
    },
  };
}

type Block = Record<string, unknown>;

/** The details of one choice. */
interface Kept {
  readonly item: TextItem;
  readonly blocks: Block[];
  /** The newest block by type and index. */
  readonly places: Map<string, Block>;
}

/** Deltas of a block have its index, or are consecutive. */
function add({ blocks, places }: Kept, detail: JsonObject): void {
  const { type, index } = detail;
  const place = typeof index === "number" ? `${index} ${textOf(type)}` : undefined;
  const known = place === undefined ? blocks.at(-1) : places.get(place);
  const isMore =
    known !== undefined &&
    known["type"] === type &&
    known["index"] === index &&
    known["data"] === undefined && // what is encrypted comes whole
    typeof known["signature"] !== "string";
  if (!isMore) {
    const block = { ...detail };
    blocks.push(block);
    if (place !== undefined) places.set(place, block);
    return;
  }
  for (const [key, value] of Object.entries(detail)) {
    const before = known[key];
    const isText = (key === "text" || key === "summary") && typeof value === "string" && typeof before === "string";
    if (isText) known[key] = before + value;
    else if (value !== undefined && value !== null) known[key] = value;
  }
}
