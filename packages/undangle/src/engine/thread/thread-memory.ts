import { copyJson, UndangleError } from "#core";

import { writeJson } from "../result/write-json.ts";
import type { ToolState } from "../tool.ts";
import type { ThreadJournal } from "../journal/thread-journal.ts";

/** The state of a thread, for the current writer. */
export function threadMemory(journal: ThreadJournal, mayWrite: () => boolean = () => true): ToolState {
  return {
    get(key) {
      const { state } = journal.ledger();
      return Object.hasOwn(state, key) ? copyJson(state[key]) : undefined;
    },
    set(key, value) {
      if (mayWrite()) journal.apply({ type: "remember", key, value: kept(key, value) });
    },
  };
}

/** The state of a thread for a tool, which must not change the keys of middleware. */
export function toolMemory(memory: ToolState, owners: ReadonlySet<string>): ToolState {
  if (owners.size === 0) return memory;
  const state: ToolState = {
    get: (key) => memory.get(key),
    set(key, value) {
      if (owners.has(key)) throw new UndangleError("middleware/reserved", { name: key });
      memory.set(key, value);
    },
  };
  whole.set(state, memory);
  return state;
}

/** The unrestricted state, for the tools of a middleware. */
export const wholeMemory = (state: ToolState): ToolState => whole.get(state) ?? state;

const whole = new WeakMap<ToolState, ToolState>();

/** A private copy. A thread stores only JSON; a value that would change is refused. */
function kept(key: string, value: unknown): unknown {
  if (value === undefined) return undefined;
  const written = writeJson(value, "en");
  if ("json" in written) return JSON.parse(written.json);
  throw new UndangleError("options/value", { option: `state.${key}`, value, allowed: [`JSON, and ${written.reason}`] });
}
