import { copyIds, createIdTable, cutIds } from "#core";
import type { IdTable } from "#core";

import type { Range, Request, Survey } from "../codec.ts";
import { createPrefixMemory } from "../known-prefix.ts";
import { lookAtUnit } from "./healthy-unit.ts";
import type { Unit } from "./healthy-unit.ts";
import type { ResponsesProfile } from "./profile.ts";

/** What is known of a beginning that was found healthy. */
interface Known {
  /** The ids of its items and calls. */
  readonly ids: IdTable;
  /** How many items the table speaks of; another branch of the same history starts anew. */
  length: number;
}

/** By how many items a beginning must have grown to be noted anew. */
const step = 16;

const memory = createPrefixMemory<Known>({ step });

/**
 * Finds turns whose calls are not all answered, by one look at each item. Whatever else is wrong or unusual makes all of the
 * list a suspect: ids are unique in it, and outputs may stand anywhere, so that little can be told from a part.
 */
export function surveyResponses(request: Request, profile: ResponsesProfile): Survey {
  const { list } = request;
  const whole: Survey = { suspects: [{ start: 0, end: list.length, isOpen: false }], ids: undefined };
  if (list.length === 0 || isEmptyText(request)) return profile.mayBeEmpty ? { suspects: [], ids: undefined } : whole;
  const key = keyOf(request, profile);
  const found = memory.recall(list, key);
  const isMine = found !== undefined && found.state.length === found.length;
  const start = isMine ? found.length : 0;
  const known: Known = isMine ? found.state : { ids: createIdTable(list.length), length: 0 };
  const before = known.ids.ids.length;
  const suspects: Range[] = [];
  const unit: Unit = {
    list,
    profile,
    ids: known.ids,
    calls: [],
    count: 0,
    names: new Set(),
    answered: undefined,
    start,
    end: start,
    state: "healthy",
  };
  while (unit.end < list.length && unit.state !== "suspect") {
    unit.start = unit.end;
    lookAtUnit(unit);
    if (unit.state === "open") suspects.push({ start: unit.start, end: unit.end, isOpen: true });
  }
  const isHealthy = unit.state !== "suspect" && suspects.length === 0;
  if (isHealthy && list.length - start >= step) {
    known.length = list.length;
    memory.remember(list, list.length, key, { length: start, state: known });
    return { suspects, ids: undefined };
  }
  if (unit.state !== "suspect" && start === 0) return { suspects, ids: known.ids };
  const ids = suspects.length === 0 ? undefined : copyIds(known.ids);
  cutIds(known.ids, before); // what is known of the beginning stays as it was
  return unit.state === "suspect" ? whole : { suspects, ids };
}

/** Notes that a list is healthy, with the ids that a survey found in it. */
export function rememberResponses(request: Request, profile: ResponsesProfile, ids: IdTable | undefined): void {
  const { length } = request.list;
  if (ids === undefined) return;
  memory.remember(request.list, length, keyOf(request, profile), { length: 0, state: { ids, length } });
}

/** An empty text in place of the items is the same as none. */
export const isEmptyText = ({ body }: Request): boolean => body?.["input"] === "";

/** What the answer depends on besides the items. */
const keyOf = ({ provider, model }: Request, { reasons }: ResponsesProfile): string =>
  `${provider ?? ""}\n${model ?? ""}\n${String(reasons)}`;
