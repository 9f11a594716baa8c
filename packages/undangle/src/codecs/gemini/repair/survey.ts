import { isRecord } from "#core";
import type { Profile } from "#core";

import { wholeList } from "../../codec.ts";
import type { Range, Request } from "../../codec.ts";
import { isModel, lookAtUnit } from "./healthy-unit.ts";
import type { Unit } from "./healthy-unit.ts";
import { lookAtPart } from "./look-at-part.ts";
import { modelOf } from "../model.ts";

/**
 * Finds turns that may be invalid, with one pass over the parts. A unit is a model turn and the user contents after it.
 */
export function surveyGemini({ list, model: name }: Request, profile: Profile): readonly Range[] {
  const model = modelOf(name);
  const suspects: Range[] = [];
  const unit: Unit = {
    list,
    profile,
    model,
    start: 0,
    end: 0,
    state: "suspect",
    calls: [],
    count: 0,
    names: new Set(),
    isSigned: true,
  };
  let unsigned = -1; // the index of the last content whose first call has no signature
  while (unit.end < list.length) {
    unit.start = unit.end;
    lookAtUnit(unit);
    const { start, end, state } = unit;
    if (!unit.isSigned) unsigned = end - 1;
    if (state !== "healthy") suspects.push({ start, end, isOpen: state === "open" });
  }
  if (list.length === 0 || (model.endsWithUser && isModel(list.at(-1)) && unit.state !== "open"))
    return wholeList(list);
  if (model.needsSignatures) {
    const spoken = list.findLastIndex(isSpoken); // from Gemini 3 on, every later step requires a signature
    if (unsigned > spoken) return wholeList(list);
    if (suspects.some(({ end, isOpen }) => !isOpen && end - 1 > spoken)) return wholeList(list);
  }
  return suspects;
}

/** True for certain user content. A content that a repair may reduce to responses starts no turn. */
function isSpoken(content: unknown): boolean {
  if (!isRecord(content) || content["role"] !== "user") return false;
  const { parts } = content;
  if (!Array.isArray(parts) || parts.length === 0) return false;
  return parts.some(isText) || parts.every((part) => lookAtPart(part) === "said"); // media may move into the response beside them
}

const isText = (part: unknown): boolean => isRecord(part) && "text" in part && lookAtPart(part) === "said";
