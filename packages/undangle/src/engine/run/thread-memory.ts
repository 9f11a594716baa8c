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

/** A copy that nobody else can change. */
const copyOf = (value: unknown): unknown =>
  value === undefined ? undefined : (JSON.parse(JSON.stringify(value)) as unknown); // JSON is all that a thread keeps
