import { copyJson, UndangleError } from "#core";

import type { ThreadJournal } from "../journal/thread-journal.ts";
import { writeJson } from "../result/write-json.ts";
import { copiedFiles } from "../thread-files.ts";
import type { ThreadFiles } from "../thread-files.ts";
import type { ToolState } from "../tool.ts";

/** The state of a thread for a writer in this process. */
export interface ThreadState extends ToolState {
  /** Changes a value. The change of a running call is applied again when its result is saved, after those of siblings. */
  change(key: string, change: (value: unknown) => unknown): void;
}

/** The state of a thread. Changes are in the next commit. */
export function storedState(journal: ThreadJournal, mayWrite: () => boolean = () => true): ThreadState {
  const state: ThreadState = {
    get: (key) => copyJson(storedValue(journal, key)),
    set: (key, value) => state.change(key, () => value),
    change(key, makeValue) {
      if (!mayWrite()) return;
      journal.apply({ type: "remember", key, value: changeState(key, storedValue(journal, key), makeValue) });
    },
  };
  return state;
}

/** The files of a thread. Changes are in the next commit. */
export function storedFiles(journal: ThreadJournal, mayWrite: () => boolean = () => true): ThreadFiles {
  const files: ThreadFiles = {
    list: (prefix = "", limit = Infinity) => journal.files.list(prefix, limit),
    read: (path) => journal.files.read(path),
    async write(changes) {
      if (mayWrite()) journal.apply({ type: "write-files", changes: copiedFiles(changes) });
    },
    transact: (work) => work(files),
  };
  return files;
}

/** A value of the state, which must not be changed. */
export function storedValue(journal: ThreadJournal, key: string): unknown {
  const { state } = journal.ledger();
  return Object.hasOwn(state, key) ? state[key] : undefined;
}

/** The changed value as JSON. A thread stores only JSON; a value that would change is refused. */
export function changeState(key: string, before: unknown, change: (value: unknown) => unknown): unknown {
  const value = change(copyJson(before));
  if (value === undefined) return undefined;
  const written = writeJson(value, "en");
  if ("json" in written) return JSON.parse(written.json);
  throw new UndangleError("options/value", { option: `state.${key}`, value, allowed: [`JSON, and ${written.reason}`] });
}

/** The state of a thread for a tool, which must not change the keys of middleware. */
export function toolState(state: ThreadState, owners: ReadonlySet<string>): ToolState {
  return owners.size === 0 ? state : new RestrictedState(state, owners);
}

/** The unrestricted state, for the tools of a middleware. */
export function unrestrictedState(state: ToolState): ThreadState {
  const whole = RestrictedState.wholeOf(state);
  if (whole !== undefined) return whole;
  if ("change" in state) return state as ThreadState; // only the engine gives a state with this method
  return { ...state, change: (key, change) => state.set(key, change(state.get(key))) };
}

class RestrictedState implements ToolState {
  readonly get: ToolState["get"]; // own properties, because tools destructure the state
  readonly set: ToolState["set"];
  readonly #whole: ThreadState;

  constructor(whole: ThreadState, reserved: ReadonlySet<string>) {
    this.#whole = whole;
    this.get = (key) => whole.get(key);
    this.set = (key, value) => {
      if (reserved.has(key)) throw new UndangleError("middleware/reserved", { name: key });
      whole.set(key, value);
    };
  }

  static wholeOf(state: ToolState): ThreadState | undefined {
    return #whole in state ? state.#whole : undefined;
  }
}
