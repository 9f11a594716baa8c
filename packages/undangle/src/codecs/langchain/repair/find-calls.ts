import { isRecord } from "#core";

import type { Fields } from "../envelope.ts";
import { callsIn, listIn } from "./places.ts";
import type { Shown } from "./places.ts";

/** A call, and every place in its message that contains it. */
export interface Found {
  readonly shown: Shown;
  readonly mirrors: Shown[];
  id: unknown;
}

/** Finds every call of an AI message once, with all the places that contain it. */
export function findCalls(fields: Fields): Found[] {
  const found: Found[] = [];
  const byId = new Map<unknown, Found[]>();
  const file = (one: Found): void => {
    const key = keyOf(one.id);
    const same = byId.get(key);
    if (same === undefined) byId.set(key, [one]);
    else same.push(one);
  };
  const add = (shown: Shown): void => {
    const one: Found = { shown, mirrors: [], id: shown.id };
    found.push(one);
    file(one);
  };
  for (const shown of callsIn(fields, "tool_calls")) add(shown);
  for (const shown of callsIn(fields, "invalid_tool_calls")) add(shown);
  const join = (all: readonly Shown[], isOwn: boolean): void => {
    if (all.length === 0) return;
    const findSame = createSearch(found, byId);
    for (const shown of all) {
      const same = findSame(shown);
      if (same !== undefined) {
        same.mirrors.push(shown);
        if (isId(same.id) || !isId(shown.id)) continue;
        same.id = shown.id;
        file(same);
      } else if (isOwn) add(shown);
    }
  };
  join(callsIn(fields, "content"), true);
  // Clients send the provider fields only without a better source. Entries that are not calls are ignored.
  const listed = listIn(fields, "tool_calls");
  join(callsIn(fields, "additional_kwargs.tool_calls"), listed.length === 0 || !listed.every(isRecord));
  join(collapse(callsIn(fields, "tool_call_chunks")), found.length === 0 || !listed.every(isRecord));
  join(callsIn(fields, "response_metadata.output"), true); // sent instead of everything else if the API accepts such items
  return found;
}

/** Finds known calls in another list: by id, or by name if one side has no id. Each call matches once per list. */
function createSearch(
  found: readonly Found[],
  byId: ReadonlyMap<unknown, Found[]>,
): (shown: Shown) => Found | undefined {
  const byName = groupByName(found);
  const nameless = groupByName(found.filter(({ id }) => !isId(id)));
  const passed = new Map<readonly Found[], number>();
  const first = (line: readonly Found[] | undefined, isFree: (one: Found) => boolean): Found | undefined => {
    if (line === undefined) return undefined;
    let next = passed.get(line) ?? 0;
    for (let one = line[next]; one !== undefined && !isFree(one); one = line[next]) next++;
    passed.set(line, next);
    return line[next];
  };
  return ({ seat, id, name }) => {
    const isFree = ({ shown, mirrors }: Found): boolean =>
      shown.seat.list !== seat.list && mirrors.every((mirror) => mirror.seat.list !== seat.list);
    if (!isId(id)) return first(byName.get(name), isFree);
    return first(byId.get(keyOf(id)), isFree) ?? first(nameless.get(name), (one) => !isId(one.id) && isFree(one));
  };
}

function groupByName(found: readonly Found[]): ReadonlyMap<string, Found[]> {
  const groups = new Map<string, Found[]>();
  for (const one of found) {
    const same = groups.get(one.shown.name);
    if (same === undefined) groups.set(one.shown.name, [one]);
    else same.push(one);
  }
  return groups;
}

/** True for text, or for a number that should be text. */
export const isId = (id: unknown): boolean => (typeof id === "string" && id !== "") || typeof id === "number";

/** A number in one place and its text in another are the same id. */
const keyOf = (id: unknown): unknown => (typeof id === "number" ? String(id) : id);

/** Merges the chunks of a call, which share an id or an index. */
function collapse(chunks: readonly Shown[]): Shown[] {
  const whole: { readonly shown: Shown; args: string }[] = [];
  const byId = new Map<unknown, (typeof whole)[number]>();
  const byIndex = new Map<unknown, (typeof whole)[number]>();
  for (const chunk of chunks) {
    const index = indexOf(chunk);
    const last = isId(chunk.id) ? byId.get(chunk.id) : byIndex.get(index);
    const text = typeof chunk.args === "string" ? chunk.args : "";
    if (last !== undefined) {
      last.args += text;
      continue;
    }
    const one = { shown: chunk, args: text };
    whole.push(one);
    if (!byId.has(chunk.id)) byId.set(chunk.id, one);
    if (!byIndex.has(index)) byIndex.set(index, one);
  }
  return whole.map(({ shown, args }) => ({ ...shown, args }));
}

const indexOf = ({ wire }: Shown): unknown => (isRecord(wire) ? wire["index"] : undefined);
