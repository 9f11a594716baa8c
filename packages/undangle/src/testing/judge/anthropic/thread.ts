import type { Turn } from "./turns.ts";
import { recordOf, type Loose } from "../loose.ts";

/** True if the server has the earlier messages: `thread` marks the messages as new. */
export function isContinued(body: Loose | undefined): boolean {
  return recordOf(body?.["thread"])["type"] === "continue";
}

/** The turns after an assumed turn with exactly the calls of the first results. */
export function behindHeldTurn(turns: readonly Turn[]): readonly Turn[] {
  const [first] = turns;
  if (first?.role !== "user") return turns;
  const results = first.blocks.filter(({ block }) => block["type"] === "tool_result");
  const ids = new Set(results.map(({ block }) => block["tool_use_id"]));
  const uses = Array.from(ids, (id) => ({ path: "thread", block: { type: "tool_use", id }, isObject: true }));
  return [{ role: "assistant", path: "thread", blocks: uses }, ...turns];
}
