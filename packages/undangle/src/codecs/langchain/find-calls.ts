import { isRecord } from "#core";

import type { Fields } from "./envelope.ts";
import { callsIn, listIn } from "./places.ts";
import type { Shown } from "./places.ts";

/** A call and every place in which its message holds it. */
export interface Found {
  readonly shown: Shown;
  readonly mirrors: Shown[];
  id: unknown;
}

/** Finds every call of an AI message, once, with all the places that show it. */
export function findCalls(fields: Fields): Found[] {
  const found: Found[] = [];
  const byId = new Map<unknown, Found[]>();
  const file = (one: Found): void => {
    const same = byId.get(one.id);
    if (same === undefined) byId.set(one.id, [one]);
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
    const nameless = found.filter(({ id }) => !isId(id));
    for (const shown of all) {
      const same = findSame(shown, isId(shown.id) ? (byId.get(shown.id) ?? []) : found, nameless);
      if (same !== undefined) {
        same.mirrors.push(shown);
        if (isId(same.id) || !isId(shown.id)) continue;
        same.id = shown.id;
        file(same);
      } else if (isOwn) add(shown);
    }
  };
  join(callsIn(fields, "content"), true);
  // Clients send what the provider sent only where there is nothing better.
  join(callsIn(fields, "additional_kwargs.tool_calls"), listIn(fields, "tool_calls").length === 0);
  join(collapse(callsIn(fields, "tool_call_chunks")), found.length === 0);
  join(callsIn(fields, "response_metadata.output"), true); // sent in place of all else, where the API takes such items
  return found;
}

/** The call that another place shows too: by its id, or by its name where one of them lacks an id. */
function findSame({ seat, id, name }: Shown, near: readonly Found[], nameless: readonly Found[]): Found | undefined {
  const isFree = ({ shown, mirrors }: Found): boolean =>
    shown.seat.list !== seat.list && mirrors.every((mirror) => mirror.seat.list !== seat.list);
  const isSame = (one: Found): boolean => one.shown.name === name && isFree(one);
  return isId(id) ? (near.find(isFree) ?? nameless.find((one) => !isId(one.id) && isSame(one))) : near.find(isSame);
}

/** An id is text, or a number that should be. */
export const isId = (id: unknown): boolean => (typeof id === "string" && id !== "") || typeof id === "number";

/** The chunks of one call put together: they share an id or an index. */
function collapse(chunks: readonly Shown[]): Shown[] {
  const whole: { shown: Shown; args: string }[] = [];
  for (const chunk of chunks) {
    const index = indexOf(chunk);
    const last = whole.find(({ shown }) => (isId(chunk.id) ? shown.id === chunk.id : indexOf(shown) === index));
    const text = typeof chunk.args === "string" ? chunk.args : "";
    if (last === undefined) whole.push({ shown: chunk, args: text });
    else last.args += text;
  }
  return whole.map(({ shown, args }) => ({ ...shown, args }));
}

const indexOf = ({ wire }: Shown): unknown => (isRecord(wire) ? wire["index"] : undefined);
