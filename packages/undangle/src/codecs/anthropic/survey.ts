import { isRecord } from "#core";
import type { Profile } from "#core";

import type { Range, Request, Survey } from "../codec.ts";
import { createPrefixMemory } from "../known-prefix.ts";
import type { Wire } from "./context.ts";
import { assistantsEnd, goodUnit, isAssistant, isThought, usersEnd } from "./healthy-unit.ts";

/** The ids of the calls in the healthy turns so far: they are unique in a request. */
interface Seen {
  readonly ids: Set<string>;
  /** How many messages the set speaks of; another branch of the same history, or one with suspects, starts anew. */
  length: number;
}

const memory = createPrefixMemory<Seen>({ step: 1 });

const none: readonly string[] = [];

/** Finds the turns that may be wrong, by one look at each block. A unit is an assistant turn and the user turn behind it. */
export function surveyAnthropic({ list, body, model }: Request, profile: Profile): Survey {
  const whole: Survey = { suspects: [{ start: 0, end: list.length, isOpen: false }], ids: undefined };
  if (thinks(body) && !startsWithThinking(list)) return whole;
  const key = model ?? "";
  const known = memory.recall(list, key);
  const isMine = known !== undefined && known.state.length === known.length;
  const start = isMine ? known.length : 0;
  const seen: Seen = isMine ? known.state : { ids: new Set(), length: 0 };
  const suspects: Range[] = [];
  const taken = new Set<string>(); // by suspects: a turn that uses such an id again is one too
  const added: string[] = [];
  let last = none; // the ids of the last turn, which more messages may still join
  let healthy = start;
  for (let i = start; i < list.length;) {
    const results = assistantsEnd(list, i);
    const end = usersEnd(list, results);
    const unit = goodUnit(list, { start: i, results, end }, profile);
    const isNew = unit !== undefined && !holdsAny(taken, unit.calls) && addNew(seen.ids, unit.calls);
    last = isNew ? unit.calls : none;
    if (isNew && start > 0) for (const id of unit.calls) added.push(id);
    if (!isNew || unit.isOpen) suspects.push({ start: i, end, isOpen: isNew });
    else if (suspects.length === 0 && end < list.length) healthy = end;
    if (!isNew) for (let k = i; k < end; k++) takeIds(list[k], taken);
    i = end;
  }
  if (body !== undefined && !hasTools(body) && seen.ids.size + taken.size > 0) return forget(seen, whole);
  if (suspects.length === 0) {
    for (const id of last) if (healthy < list.length) seen.ids.delete(id);
    seen.length = healthy;
    memory.remember(list, healthy, key, { length: start, state: seen });
    return list.length === 0 ? whole : { suspects, ids: seen.ids };
  }
  if (start === 0 || taken.size > 0) return forget(seen, { suspects, ids: seen.ids });
  const ids = new Set(seen.ids); // what is known of the beginning stays as it was
  for (const id of added) seen.ids.delete(id);
  return { suspects, ids };
}

/** The set speaks of more than the beginning that it was known for: it is not used again. */
function forget(seen: Seen, survey: Survey): Survey {
  seen.length = -1;
  return survey;
}

/** Notes that a list is healthy up to its last turn, which more messages may still join. */
export function rememberAnthropic({ list, model }: Request, _profile: Profile, ids: Set<string> | undefined): void {
  let end = list.length;
  while (end > 0 && !isAssistant(list[end - 1])) end--;
  while (end > 0 && isAssistant(list[end - 1])) end--;
  const taken = new Set<string>();
  for (let k = end; k < list.length; k++) takeIds(list[k], taken);
  if (ids === undefined) return;
  for (const id of taken) ids.delete(id);
  memory.remember(list, end, model ?? "", { length: 0, state: { ids, length: end } });
}

const thinks = (body: Wire | undefined): boolean => {
  const thinking = body?.["thinking"];
  return isRecord(thinking) && thinking["type"] === "enabled";
};

const hasTools = ({ tools }: Wire): boolean => Array.isArray(tools) && tools.length > 0;

/** True when the tool loop at the end, where one is running, starts with a thinking block. */
function startsWithThinking(list: readonly unknown[]): boolean {
  let first: unknown;
  for (let i = list.length - 1; i >= 0; i--) {
    const message = list[i];
    if (isAssistant(message)) first = message;
    else if (!isOnlyResults(message)) break;
  }
  const content = isRecord(first) ? first["content"] : undefined;
  const block: unknown = Array.isArray(content) ? content[0] : undefined;
  return first === undefined || (isRecord(block) && isThought(block));
}

function isOnlyResults(message: unknown): boolean {
  const content = isRecord(message) ? message["content"] : undefined;
  return Array.isArray(content) && content.every((block) => isRecord(block) && block["type"] === "tool_result");
}

/** Adds ids to a set; false when one of them was there. */
function addNew(seen: Set<string>, ids: readonly string[]): boolean {
  for (const id of ids) {
    const { size } = seen;
    seen.add(id);
    if (seen.size === size) return false;
  }
  return true;
}

function holdsAny(taken: ReadonlySet<string>, ids: readonly string[]): boolean {
  return taken.size > 0 && ids.some((id) => taken.has(id));
}

function takeIds(message: unknown, taken: Set<string>): void {
  const content = isRecord(message) ? message["content"] : undefined;
  if (!Array.isArray(content)) return;
  for (const block of content as readonly unknown[]) {
    if (isRecord(block) && typeof block["id"] === "string") taken.add(block["id"]);
  }
}
