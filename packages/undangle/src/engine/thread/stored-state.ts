import { copyJson, isRecord, UndangleError } from "#core";
import type { JsonObject } from "#core";
import type { FileChange } from "#store";

import type { ThreadJournal } from "../journal/thread-journal.ts";
import type { Middleware, StateHandle } from "../middleware/middleware.ts";
import { asError } from "../result/thrown.ts";
import { writeJson } from "../result/write-json.ts";
import { copiedFiles, threadPath, withUnsaved } from "../thread-files.ts";
import type { ThreadFiles, UnsavedFiles } from "../thread-files.ts";
import type { ToolState } from "../tool.ts";

/** The state of a thread for a writer in this process. */
export interface WritableState extends ToolState {
  /** Changes a value. The change of a running call is applied again when its result is saved, after those of siblings. */
  change(key: string, change: (value: unknown) => unknown): void;
  /** True for a child thread. */
  readonly isChild: boolean;
}

/** The state of a thread. Changes are in the next commit. */
export function storedState(journal: ThreadJournal, mayWrite: () => boolean = () => true): WritableState {
  const state: WritableState = {
    get: (key) => copyJson(storedValue(journal, key)),
    set: (key, value) => state.change(key, () => value),
    change(key, makeValue) {
      if (!mayWrite()) return;
      const value = changeState(key, storedValue(journal, key), makeValue);
      journal.apply({ type: "remember", values: { [key]: value } });
    },
    isChild: journal.ledger().parent !== undefined,
  };
  return state;
}

/** The files of a thread. Changes are in the next commit. */
export function storedFiles(journal: ThreadJournal, mayWrite: () => boolean = () => true): ThreadFiles {
  const files: ThreadFiles = {
    list: (prefix = "", limit = Infinity) => journal.files.list(prefix, limit),
    read: async (path) => journal.files.read(threadPath(path)),
    async write(changes) {
      if (mayWrite()) journal.apply({ type: "write-files", changes: copiedFiles(changes) });
    },
    transact: (work) => work(files),
  };
  return files;
}

/** A value of the state, which must not be changed. */
function storedValue(journal: ThreadJournal, key: string): unknown {
  const { state } = journal.ledger();
  return Object.hasOwn(state, key) ? state[key] : undefined;
}

/** The changed value as JSON. A thread stores only JSON; a value that would change is refused. */
function changeState(key: string, before: unknown, change: (value: unknown) => unknown): unknown {
  const value = change(copyJson(before));
  if (value === undefined) return undefined;
  const written = writeJson(value, "en");
  if ("json" in written) return JSON.parse(written.json);
  throw new UndangleError("options/value", { option: `state.${key}`, value, allowed: [`JSON, and ${written.reason}`] });
}

/** The state of a thread for a tool, which must not change the keys of middleware. */
export function toolState(state: WritableState, owners: ReadonlySet<string>): ToolState {
  return owners.size === 0 ? state : new RestrictedState(state, owners);
}

/** The unrestricted state, for the tools of a middleware. */
export function unrestrictedState(state: ToolState): WritableState {
  const whole = RestrictedState.wholeOf(state);
  if (whole !== undefined) return whole;
  if ("change" in state) return state as WritableState; // only the engine gives a state with this method
  return { ...state, change: (key, change) => state.set(key, change(state.get(key))), isChild: false };
}

class RestrictedState implements ToolState {
  readonly get: ToolState["get"]; // own properties, because tools destructure the state
  readonly set: ToolState["set"];
  readonly #whole: WritableState;

  constructor(whole: WritableState, reserved: ReadonlySet<string>) {
    this.#whole = whole;
    this.get = (key) => whole.get(key);
    this.set = (key, value) => {
      if (reserved.has(key)) throw new UndangleError("middleware/reserved", { name: key });
      whole.set(key, value);
    };
  }

  static wholeOf(state: ToolState): WritableState | undefined {
    return #whole in state ? state.#whole : undefined;
  }
}

/**
 * What running calls have written to the state and to files. It is saved with the result of its call, or dropped with a
 * call whose outcome is unknown. A commit for a sibling does not contain it.
 */
export class CallDrafts {
  readonly #journal: ThreadJournal;
  readonly #now: () => number;
  readonly #drafts = new Map<string, Draft>(); // of running calls
  readonly #writers: { readonly callId: string; readonly left: PromiseWithResolvers<void> }[] = [];
  #ended: readonly Draft[] = []; // in the order in which their calls ended

  constructor(journal: ThreadJournal, now: () => number) {
    this.#journal = journal;
    this.#now = now;
  }

  /** Begins an attempt of a call, without what an earlier attempt wrote. */
  begin(callId: string): void {
    this.end(callId, { isKept: false });
    this.#drafts.set(callId, { state: new Map(), seen: new Map(), files: new Map() });
  }

  /** The state as the call sees it, with its own changes. */
  stateOf(callId: string): WritableState {
    const draft = this.#drafts.get(callId);
    const seen = (key: string): SeenValue => {
      const stored = storedValue(this.#journal, key);
      const ended = this.#ended;
      const known = draft?.seen.get(key);
      if (known?.stored === stored && known?.ended === ended) return known; // otherwise a sibling has ended
      const changes = this.#seenWith(draft).flatMap(({ state }) => state.get(key) ?? []);
      const value = changes.reduce((result, change) => change(copyJson(result)), stored);
      const current = { stored, ended, value };
      draft?.seen.set(key, current);
      return current;
    };
    const change: WritableState["change"] = (key, makeValue) => {
      if (draft === undefined || !this.#isCurrent(callId, draft)) return;
      const current = seen(key);
      current.value = changeState(key, current.value, makeValue); // throws now for a value that cannot be stored
      const changes = draft.state.get(key);
      if (changes === undefined) draft.state.set(key, [makeValue]);
      else changes.push(makeValue);
    };
    return {
      get: (key) => copyJson(seen(key).value),
      set(key, value) {
        const stored = changeState(key, undefined, () => value); // a copy, which the tool cannot change
        change(key, () => stored);
      },
      change,
      isChild: this.#journal.ledger().parent !== undefined,
    };
  }

  filesOf(callId: string): ThreadFiles {
    const draft = this.#drafts.get(callId);
    const unsaved = (): UnsavedFiles => new Map(this.#seenWith(draft).flatMap(({ files }) => [...files]));
    const layer = withUnsaved(this.#journal.files, unsaved, this.#now);
    const isCurrent = (): boolean => draft !== undefined && this.#isCurrent(callId, draft);
    const enter = async (): Promise<void> => (isCurrent() ? this.#enter(callId) : undefined); // a call that has ended would never leave
    const write = async (changes: readonly FileChange[]): Promise<void> => {
      const copies = copiedFiles(changes);
      await enter();
      if (isCurrent()) for (const { path, data } of copies) draft?.files.set(path, data);
    };
    let last: Promise<unknown> = Promise.resolve(); // the call may do several things at once
    const files: ThreadFiles = {
      list: (prefix = "", limit = Infinity) => layer.list(prefix, limit),
      read: async (path) => layer.read(threadPath(path)),
      write,
      transact: (work) => {
        const nested: ThreadFiles = { ...files, transact: (inner) => inner(nested) };
        const done = last.then(enter).then(() => work(nested));
        last = done.catch(() => undefined); // its caller handles the error
        return done;
      },
    };
    return files;
  }

  /** A call has ended. From now on, its siblings see what it wrote, unless that is dropped. */
  end(callId: string, { isKept }: { readonly isKept: boolean }): void {
    const draft = this.#drafts.get(callId);
    if (isKept && draft !== undefined) this.#ended = [...this.#ended, draft];
    this.#drafts.delete(callId);
    const at = this.#writers.findIndex((each) => each.callId === callId);
    if (at !== -1) this.#writers.splice(at, 1)[0]?.left.resolve();
  }

  /**
   * Puts what ended calls wrote into the next commit. Returns the error of a reducer that fails on the state that
   * siblings have changed; everything else is kept.
   */
  apply(): UndangleError | undefined {
    const journal = this.#journal;
    const ended = this.#ended;
    this.#ended = [];
    let fault: UndangleError | undefined;
    const changed = (key: string, changes: readonly StateChange[]): unknown =>
      changes.reduce(
        (value, change) => {
          try {
            return changeState(key, value, change);
          } catch (error) {
            fault ??= asError(error);
            return value;
          }
        },
        storedValue(journal, key),
      );
    for (const { state, files } of ended) {
      const values = [...state].map(([key, changes]) => [key, changed(key, changes)] as const);
      if (values.length > 0) journal.apply({ type: "remember", values: Object.fromEntries(values) });
      if (files.size > 0)
        journal.apply({ type: "write-files", changes: [...files].map(([path, data]) => ({ path, data })) });
    }
    return fault;
  }

  /** False as soon as the attempt has ended. A tool that ignores its signal may run on for a long time. */
  #isCurrent(callId: string, draft: Draft): boolean {
    return this.#drafts.get(callId) === draft && this.#journal.callOf(callId)?.state === "running";
  }

  /** What a call sees: what ended calls wrote, then what it wrote itself. */
  #seenWith(own: Draft | undefined): readonly Draft[] {
    return own === undefined || this.#ended.includes(own) ? this.#ended : [...this.#ended, own];
  }

  /** Lets one call at a time write files, in the order in which they ask, each until it has ended. */
  async #enter(callId: string): Promise<void> {
    const queue = this.#writers;
    if (!queue.some((each) => each.callId === callId)) queue.push({ callId, left: Promise.withResolvers() });
    for (let first = queue.at(0); first !== undefined && first.callId !== callId; first = queue.at(0))
      await first.left.promise; // never, if the run ends first: then the call is settled as stopped
  }
}

type StateChange = (value: unknown) => unknown;

/** A value that a call sees, and what it was computed from, in addition to the changes of the call. */
interface SeenValue {
  readonly stored: unknown;
  readonly ended: readonly Draft[];
  value: unknown;
}

interface Draft {
  /** Changes of the state, by key. */
  readonly state: Map<string, StateChange[]>;
  /** The state as the call sees it, by key, so that its changes are not repeated at each access. */
  readonly seen: Map<string, SeenValue>;
  readonly files: Map<string, Uint8Array | null>;
}

/** The state of a middleware, stored in its thread under the name of the middleware. */
export function stateHandle<Value, Update>(
  { name, state }: Pick<Middleware<Value, Update>, "name" | "state">,
  memory: WritableState,
): StateHandle<Value, Update> {
  const declared = (): NonNullable<typeof state> => {
    if (state === undefined) throw new UndangleError("middleware/stateless", { name });
    return state;
  };
  const valueOf = (stored: unknown): Value => (stored === undefined ? copyJson(declared().initial) : (stored as Value)); // written only by its own updates
  return {
    get: () => valueOf(memory.get(name)),
    update(update) {
      const given = copyJson(update); // it is reduced again when the result of its call is saved
      memory.change(name, (before) => {
        const value = valueOf(before);
        const next = declared().reduce === undefined ? merged(value, given) : state?.reduce?.(value, given);
        if (next === undefined || typeof next === "function" || next instanceof Promise)
          throw new UndangleError("options/value", {
            option: `${name}.state.reduce`,
            value: next,
            allowed: ["JSON, returned synchronously"],
          });
        return next;
      });
      if (declared().shared === true && memory.isChild) {
        memory.change(updatesKey, (before) => {
          const known = isRecord(before) ? before : {};
          const earlier: unknown = known[name];
          return { ...known, [name]: [...(Array.isArray(earlier) ? (earlier as unknown[]) : []), given] };
        });
      }
    },
  };
}

/** The key of the updates of shared state that a child thread has for its parent, by middleware. */
const updatesKey = "undangle:updates";

/** The state with which a child thread starts: the shared state that both agents have. */
export function stateForChild(
  journal: ThreadJournal,
  parent: readonly Middleware[],
  child: readonly Middleware[],
): JsonObject {
  const { state } = journal.ledger();
  const names = shared(parent).filter(({ name }) => shared(child).some((each) => each.name === name));
  return Object.fromEntries(names.flatMap(({ name }) => (Object.hasOwn(state, name) ? [[name, state[name]]] : [])));
}

/** Applies what a child thread has changed of shared state. */
export function applyChildState(child: ThreadJournal, parent: readonly Middleware[], memory: WritableState): void {
  const updates = storedValue(child, updatesKey);
  if (!isRecord(updates)) return;
  for (const middleware of shared(parent) as readonly Middleware<unknown, unknown>[]) {
    const own: unknown = updates[middleware.name]; // of its own type, because only the child with this middleware writes it
    const handle = stateHandle(middleware, memory);
    if (Array.isArray(own)) own.forEach((update) => handle.update(update));
  }
}

const shared = (middleware: readonly Middleware[]): readonly Middleware[] =>
  middleware.filter(({ state }) => state?.shared === true);

const merged = (value: unknown, update: unknown): unknown =>
  isRecord(value) && isRecord(update) ? { ...value, ...update } : update;
