import { createIdTable, cutIds, hasId, isRecord } from "#core";

import { wholeList } from "../../codec.ts";
import type { Range, Request } from "../../codec.ts";
import { lookAtUnit } from "./healthy-unit.ts";
import type { Unit } from "./healthy-unit.ts";
import type { ResponsesProfile } from "../profile.ts";

/**
 * Finds turns with unanswered calls, with one pass over the items. For any other problem, everything between two user
 * messages is suspect, because ids of items depend on the reasoning there.
 */
export function surveyResponses(request: Request, profile: ResponsesProfile): readonly Range[] {
  const { list } = request;
  if (list.length === 0 || isEmptyText(request)) return profile.mayBeEmpty ? [] : wholeList(list);
  const taken = new Set<unknown>(); // ids are unique in a request
  const unit: Unit = {
    list,
    profile,
    ids: createIdTable(list.length),
    taken,
    calls: [],
    count: 0,
    names: new Set(),
    hasReasoned: false,
    answered: undefined,
    start: 0,
    end: 0,
    state: "healthy",
  };
  const open: Range[] = [];
  const suspects: Range[] = [];
  let isOpen = true; // all suspects are
  let previous = 0;
  while (unit.end < list.length) {
    const start = unit.end;
    const first = unit.ids.ids.length;
    const before = open.length;
    const state = lookAtExchange(unit, open);
    if (state !== "healthy" || open.length > before) {
      suspects.push({ start: state === "attached" ? previous : start, end: unit.end, isOpen: false });
      cutIds(unit.ids, first);
      for (let i = start; i < unit.end; i++) takeIds(list[i], taken);
    }
    isOpen &&= state === "healthy";
    previous = start;
  }
  if (isOpen) return open;
  for (const id of taken) if (typeof id === "string" && hasId(unit.ids, id)) return wholeList(list);
  return suspects;
}

/**
 * Looks at the items up to the next user message, and adds open turns to a list. `attached` if its own user message may
 * be invalid, so that it may belong to the exchange before it.
 */
function lookAtExchange(unit: Unit, open: Range[]): "healthy" | "suspect" | "attached" {
  const { list, end: start } = unit;
  let state: ReturnType<typeof lookAtExchange> = "healthy";
  do {
    unit.start = unit.end;
    lookAtUnit(unit);
    if (unit.state === "open") open.push({ start: unit.start, end: unit.end, isOpen: true });
    if (unit.state === "suspect" && state === "healthy") state = unit.start === start ? "attached" : "suspect";
  } while (unit.end < list.length && !isUser(list[unit.end]));
  return state;
}

const isUser = (item: unknown): boolean =>
  isRecord(item) && item["role"] === "user" && (item["type"] === undefined || item["type"] === "message");

function takeIds(item: unknown, taken: Set<unknown>): void {
  if (!isRecord(item)) return;
  taken.add(item["id"]).add(item["call_id"]);
}

/** An empty string instead of items counts as none. */
export const isEmptyText = ({ body }: Request): boolean => body?.["input"] === "";
