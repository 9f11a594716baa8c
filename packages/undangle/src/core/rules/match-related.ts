import type { Call } from "../history.ts";

/** Finds the first call without a result that is related to the id or name of a result. */
export interface Relatives {
  byId(id: string): Call | undefined;
  byName(name: string): Call | undefined;
}

/**
 * Finds calls whose id was changed: by replaced characters, by joining it with another, or by truncation. Ids that
 * merely share a position are not related: a result that names another call never belongs to this one.
 */
export function createRelatives(calls: readonly Call[]): Relatives {
  const places = new Map<Call, number>();
  const texts = new Map<Call, string>();
  const tables: Readonly<Record<"bare" | "head" | "start" | "name", Map<string, Call[]>>> = {
    bare: new Map(),
    head: new Map(),
    start: new Map(),
    name: new Map(),
  };
  for (const call of calls.toReversed()) {
    const text = bare(call.id);
    places.set(call, calls.length - places.size);
    texts.set(call, text);
    add(tables.bare, text, call);
    add(tables.head, headOf(call.id), call);
    add(tables.name, call.name, call);
    if (text.length >= shortest) add(tables.start, text.slice(0, shortest), call);
  }
  return {
    byId(id) {
      const text = bare(id);
      const cut = text.length < shortest ? undefined : tables.start.get(text.slice(0, shortest));
      const found = [
        first(tables.bare.get(text)),
        first(tables.head.get(headOf(id))),
        firstOf(cut, (call) => isCut(texts.get(call) ?? "", text)),
      ];
      return found.filter((call) => call !== undefined).sort((a, b) => (places.get(a) ?? 0) - (places.get(b) ?? 0))[0];
    },
    byName: (name) => first(tables.name.get(name)),
  };
}

/** The shortest truncated id that is still specific. */
const shortest = 20;

/** The number of calls with a common prefix to compare. With more, a truncated id is not specific. */
const mostAlike = 64;

const bare = (id: string): string => id.replaceAll(/[^a-zA-Z0-9]/g, "");

const headOf = (id: string): string => id.split("|")[0] ?? id;

const isCut = (a: string, b: string): boolean => a.startsWith(b) || b.startsWith(a);

function add(table: Map<string, Call[]>, key: string, call: Call): void {
  const same = table.get(key);
  if (same === undefined) table.set(key, [call]);
  else same.push(call);
}

/** The first call without a result. The list is reversed, and matched calls are dropped. */
function first(calls: Call[] | undefined): Call | undefined {
  while (calls?.at(-1)?.result !== undefined) calls.pop();
  return calls?.at(-1);
}

/** The first unmatched call that fits, among the first ones. */
function firstOf(calls: Call[] | undefined, isIt: (call: Call) => boolean): Call | undefined {
  if (calls === undefined || first(calls) === undefined) return undefined;
  for (let i = calls.length - 1; i >= 0 && i >= calls.length - mostAlike; i--) {
    const call = calls[i];
    if (call !== undefined && call.result === undefined && isIt(call)) return call;
  }
  return undefined;
}
