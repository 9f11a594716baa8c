import type { Means } from "../dialect.ts";
import type { Call, Entry, ResultEntry } from "../history.ts";
import { match } from "./match.ts";
import { following } from "./turns.ts";

/** The messages that calls and their results bind together, by the indexes of their messages. */
export interface Links {
  /** A message with a result, and the message of its call. */
  readonly pairs: readonly { readonly call: number; readonly result: number }[];
  /** The first message with a call that still waits for its result. */
  readonly pending: number | undefined;
}

/** Pairs calls and results as `pair` does, and reads only where they are. The entries cannot be used afterwards. */
export function linksOf(entries: readonly Entry[], means: Means): Links {
  const { turns, extras } = match(entries, means);
  const pairs: { readonly call: number; readonly result: number }[] = [];
  const waiting: number[] = [];
  const add = (call: number | undefined, result: ResultEntry): void => {
    if (result.source === undefined) return;
    if (call === undefined) waiting.push(result.source.index); // the server has the call, and waits for this result
    else pairs.push({ call, result: result.source.index });
  };
  for (const turn of turns) {
    const isLast = following(entries, turn) === undefined;
    for (const { source, calls } of turn.assistants) {
      for (const call of calls) {
        if (call.result !== undefined) add(source?.index, call.result);
        for (const extra of extras.get(call) ?? []) add(source?.index, extra);
        if (source !== undefined && isOpen(call) && (isLast || call.mayWait === true)) waiting.push(source.index);
      }
    }
  }
  return { pairs, pending: waiting.length === 0 ? undefined : waiting.reduce((a, b) => Math.min(a, b)) };
}

const isOpen = ({ result }: Call): boolean => result?.pending ?? result === undefined;
