import { createIdTable } from "#core";

import { wholeList } from "../codec.ts";
import type { Range, Request } from "../codec.ts";
import { lookAtUnit } from "./healthy-unit.ts";
import type { Unit } from "./healthy-unit.ts";
import type { ResponsesProfile } from "./profile.ts";

/**
 * Finds turns with unanswered calls, with one pass over the items. Any other problem makes the whole list suspect,
 * because ids are unique in it and outputs may be anywhere.
 */
export function surveyResponses(request: Request, profile: ResponsesProfile): readonly Range[] {
  const { list } = request;
  if (list.length === 0 || isEmptyText(request)) return profile.mayBeEmpty ? [] : wholeList(list);
  const ids = createIdTable(list.length);
  const suspects: Range[] = [];
  const unit: Unit = {
    list,
    profile,
    ids,
    calls: [],
    count: 0,
    names: new Set(),
    hasReasoned: false,
    answered: undefined,
    start: 0,
    end: 0,
    state: "healthy",
  };
  while (unit.end < list.length && unit.state !== "suspect") {
    unit.start = unit.end;
    lookAtUnit(unit);
    if (unit.state === "open") suspects.push({ start: unit.start, end: unit.end, isOpen: true });
  }
  return unit.state === "suspect" ? wholeList(list) : suspects;
}

/** An empty string instead of items counts as none. */
export const isEmptyText = ({ body }: Request): boolean => body?.["input"] === "";
