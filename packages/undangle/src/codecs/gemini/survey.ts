import { isRecord } from "#core";
import type { Profile } from "#core";

import type { Range, Request, Survey } from "../codec.ts";
import { createPrefixMemory } from "../known-prefix.ts";
import { isModel, lookAtUnit } from "./healthy-unit.ts";
import type { Unit } from "./healthy-unit.ts";
import { lookAtPart } from "./look-at-part.ts";
import { modelOf } from "./model.ts";

/** What a healthy beginning leaves open: from Gemini 3 on, every step of the current turn is signed. */
interface Seen {
  /** Index of the last content with calls of which the first is not signed; -1 for none. */
  readonly unsigned: number;
  /** Index of the last content in which the user says something; -1 for none. */
  readonly spoken: number;
}

const memory = createPrefixMemory<Seen>({ step: 1 });

/** Finds the turns that may be wrong, by one look at each part. A unit is a model turn and the user contents behind it. */
export function surveyGemini({ list, model: name }: Request, profile: Profile): Survey {
  const whole: Survey = { suspects: [{ start: 0, end: list.length, isOpen: false }], ids: undefined };
  const model = modelOf(name);
  const known = memory.recall(list, name ?? "") ?? { length: 0, state: { unsigned: -1, spoken: -1 } };
  const suspects: Range[] = [];
  const unit: Unit = {
    list,
    profile,
    model,
    start: 0,
    end: known.length,
    state: "suspect",
    calls: [],
    count: 0,
    names: new Set(),
    isSigned: true,
  };
  let { unsigned } = known.state;
  let healthy = known.length;
  let seen = unsigned; // of the healthy beginning
  while (unit.end < list.length) {
    unit.start = unit.end;
    lookAtUnit(unit);
    const { start, end, state } = unit;
    if (!unit.isSigned) unsigned = end - 1;
    if (state !== "healthy") suspects.push({ start, end, isOpen: state === "open" });
    else if (suspects.length === 0 && end < list.length) {
      healthy = end;
      seen = unsigned;
    }
  }
  if (list.length === 0 || (model.endsWithUser && isModel(list.at(-1)) && unit.state !== "open")) return whole;
  if (model.needsSignatures) {
    const spoken = lastSpoken(list, list.length, known.length, known.state.spoken);
    if (unsigned > spoken) return whole;
    if (suspects.some(({ end, isOpen }) => !isOpen && end - 1 > spoken)) return whole;
  }
  if (suspects.length === 0) {
    const spoken = model.needsSignatures ? lastSpoken(list, healthy, known.length, known.state.spoken) : -1;
    memory.remember(list, healthy, name ?? "", { length: known.length, state: { unsigned: seen, spoken } });
  }
  return { suspects, ids: undefined };
}

/** Notes that a list is healthy up to its last turn, which more contents may still join. */
export function rememberGemini({ list, model: name }: Request): void {
  let end = list.length;
  while (end > 0 && !isModel(list[end - 1])) end--;
  while (end > 0 && isModel(list[end - 1])) end--;
  if (modelOf(name).needsSignatures) return; // what is signed of it is found out by the next look
  memory.remember(list, end, name ?? "", { length: 0, state: { unsigned: -1, spoken: -1 } });
}

/**
 * Index of the last content before `end` in which the user says something for certain; `before` where it stands before
 * `start`. One of which a repair may leave nothing but responses begins no turn.
 */
function lastSpoken(list: readonly unknown[], end: number, start: number, before: number): number {
  for (let i = end - 1; i >= start; i--) if (isSpoken(list[i])) return i;
  return before;
}

function isSpoken(content: unknown): boolean {
  if (!isRecord(content) || content["role"] !== "user") return false;
  const { parts } = content;
  if (!Array.isArray(parts) || parts.length === 0) return false;
  return parts.some(isText) || parts.every((part) => lookAtPart(part) === "said"); // media may move into the response beside them
}

const isText = (part: unknown): boolean => isRecord(part) && "text" in part && lookAtPart(part) === "said";
