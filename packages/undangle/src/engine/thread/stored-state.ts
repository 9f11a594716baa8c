import { copyJson, UndangleError } from "#core";

import type { ThreadJournal } from "../journal/thread-journal.ts";
import { writeJson } from "../result/write-json.ts";
import type { ToolState } from "../tool.ts";

/** The state of a thread, for the current writer. */
export function storedState(journal: ThreadJournal, mayWrite: () => boolean = () => true): ToolState {
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
export function toolState(memory: ToolState, owners: ReadonlySet<string>): ToolState {
  return owners.size === 0 ? memory : new RestrictedState(memory, owners);
}

/** The unrestricted state, for the tools of a middleware. */
export const unrestrictedState = (state: ToolState): ToolState => RestrictedState.wholeOf(state) ?? state;

class RestrictedState implements ToolState {
  readonly get: ToolState["get"]; // own properties, because tools destructure the state
  readonly set: ToolState["set"];
  readonly #whole: ToolState;

  constructor(whole: ToolState, reserved: ReadonlySet<string>) {
    this.#whole = whole;
    this.get = (key) => whole.get(key);
    this.set = (key, value) => {
      if (reserved.has(key)) throw new UndangleError("middleware/reserved", { name: key });
      whole.set(key, value);
    };
  }

  static wholeOf(state: ToolState): ToolState | undefined {
    return #whole in state ? state.#whole : undefined;
  }
}

/** A private copy. A thread stores only JSON; a value that would change is refused. */
function kept(key: string, value: unknown): unknown {
  if (value === undefined) return undefined;
  const written = writeJson(value, "en");
  if ("json" in written) return JSON.parse(written.json);
  throw new UndangleError("options/value", { option: `state.${key}`, value, allowed: [`JSON, and ${written.reason}`] });
}
