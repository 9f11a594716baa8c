import { nameOfResult } from "./message.ts";
import type { Message } from "./message.ts";

/** A call that the survey found valid. */
export interface GoodCall {
  readonly id?: string | null;
  readonly function: { readonly name: string; readonly arguments: unknown };
}

/**
 * The result of each call of a turn, undefined for calls without one. Undefined altogether if the rules must decide: a
 * result has no identity, precedes that of an earlier call, or only some have ids.
 */
export function resultsOf(
  calls: readonly GoodCall[],
  list: readonly unknown[],
  [start, end]: readonly [start: number, end: number],
): readonly (Message | undefined)[] | undefined {
  const found: (Message | undefined)[] = calls.map(() => undefined);
  if (start === end) return found;
  const haveIds = typeof calls[0]?.id === "string";
  for (const { id } of calls) if ((typeof id === "string") !== haveIds) return undefined;
  let next = 0; // without ids, a result belongs to the next call of its name
  for (let at = start; at < end; at++) {
    const result = list[at] as Message; // the caller has checked that it is an object
    const id = result["tool_call_id"];
    if ((typeof id === "string") !== haveIds) return undefined;
    const name = nameOfResult(result);
    const place = haveIds
      ? calls.findIndex((call) => call.id === id)
      : calls.findIndex((call, c) => c >= next && call.function.name === name);
    if (place < 0 || found[place] !== undefined) return undefined;
    found[place] = result;
    next = place + 1;
  }
  return found;
}
