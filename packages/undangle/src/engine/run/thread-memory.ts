import { UndangleError } from "#core";

import type { ToolState } from "../tool.ts";
import type { Book } from "./book.ts";

/** What a thread keeps, for whoever may write to it at that time. */
export function threadMemory(book: Book, mayWrite: () => boolean = () => true): ToolState {
  return {
    get(key) {
      const { state } = book.ledger();
      return Object.hasOwn(state, key) ? copyOf(state[key]) : undefined;
    },
    set(key, value) {
      if (mayWrite()) book.apply({ type: "remember", key, value: copyOf(value) });
    },
  };
}

/** The same for a tool, which must not change what middleware keep there under their names. */
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

/** What a tool of a middleware reaches the state of that by. */
export const wholeMemory = (state: ToolState): ToolState => whole.get(state) ?? state;

const whole = new WeakMap<ToolState, ToolState>();

/** A copy that nobody else can change. */
const copyOf = (value: unknown): unknown =>
  value === undefined ? undefined : (JSON.parse(JSON.stringify(value)) as unknown); // JSON is all that a thread keeps
