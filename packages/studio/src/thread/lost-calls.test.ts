import type { CallView } from "undangle/client";
import { expect, test } from "vitest";

import type { ShownEntry } from "./feed/thread-state.ts";
import { lostInTree } from "./lost-calls.tsx";

const call = (id: string, status: CallView["status"]): CallView => ({ id, name: "pay", arguments: {}, status });
const turn = (entry: number, calls: readonly CallView[], model = "m"): ShownEntry => ({
  entry,
  type: "turn",
  parts: [],
  calls,
  model,
});
const named = (id: string) => ({ id, name: "pay" });

test("lost calls of sub-agents follow the call of their sub-agent, each once", () => {
  const entries = [
    turn(0, [call("call_1", "lost")], "imported"),
    turn(1, [call("call_2", "succeeded"), call("call_3", "lost")]),
    turn(3, [call("call_10", "lost")]),
  ];
  const lostInside = [named("call_3/call_1"), named("call_2/call_10")];
  const read = [named("call_2/call_2"), named("call_3/call_1"), named("call_2/call_2/call_1"), named("call_9/call_1")];
  expect(lostInTree({ entries, lostInside }, read).map(({ id }) => id)).toEqual([
    "call_2/call_2",
    "call_2/call_2/call_1",
    "call_2/call_10",
    "call_3",
    "call_3/call_1",
    "call_10",
  ]);
});
