import { hashHex, isRecord } from "#core";
import type { Journal, Policy, Source, Spot } from "#core";

import { textOf } from "./message.ts";
import { uiParts } from "./ui-steps.ts";
import type { Page } from "./ui-steps.ts";

/** The context for reading UI messages. */
export interface UIContext {
  readonly page: Page;
  readonly policy: Policy;
  readonly journal: Journal;
  /** The tool of the request, if it offers only one. */
  readonly onlyTool: string | undefined;
  /** Provider calls that can no longer get a result. */
  readonly abandoned: () => ReadonlySet<unknown>;
  /** Generates an id that no call has, from the replaced value. */
  readonly mint: (seed: string) => string;
}

/** Generates ids that depend only on the list. */
export function createUIMint(list: readonly unknown[]): UIContext["mint"] {
  let taken: Set<string> | undefined;
  const times = new Map<string, number>();
  return (seed) => {
    taken ??= new Set(
      list.flatMap(
        (message) => uiParts(message)?.map((part) => (isRecord(part) ? textOf(part["toolCallId"]) : "")) ?? [],
      ),
    );
    for (let n = times.get(seed) ?? 0; ; n++) {
      const id = `call_${hashHex(n === 0 ? seed : `${seed}\u0000${n}`)}`;
      if (taken.has(id)) continue;
      times.set(seed, n + 1);
      taken.add(id);
      return id;
    }
  };
}

/** The position of a part in a message of the input. */
export const at = (source: Source, place: number, tail = ""): Spot => ({
  source,
  suffix: `.parts[${place}]${tail}`,
  part: { place, tail },
});

/** The position of a part, and whether another call has its id. */
export interface Standing {
  readonly source: Source;
  readonly place: number;
  readonly kind: "copy" | "other" | undefined;
}
