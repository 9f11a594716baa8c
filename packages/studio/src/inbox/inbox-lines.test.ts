import type { PendingCall, QueuedThread } from "undangle/client";
import { expect, test } from "vitest";

import { filterChoices, filterIn, isShown, linesOf, riskOf, searchOf } from "./inbox-lines.ts";

const now = 1_000_000_000;
const minutes = (count: number): number => count * 60_000;

const call = (id: string, more: Partial<PendingCall> = {}): PendingCall => ({
  id,
  name: "pay",
  arguments: {},
  digest: id,
  decisions: ["approve"],
  always: [],
  ...more,
});

const thread = (id: string, pending: readonly PendingCall[]): QueuedThread => ({
  id,
  status: "waiting",
  title: null,
  persona: "helper",
  model: null,
  metadata: {},
  entries: 1,
  last_event: "1",
  created_at: new Date(now).toISOString(),
  updated_at: new Date(now).toISOString(),
  deleted_at: null,
  pending,
});

const idsIn = (threads: readonly QueuedThread[]): readonly string[] =>
  linesOf(threads, now).map(({ threadId, call: { id } }) => `${threadId} ${id}`);

test("calls that expire soon come first, the soonest first, then the oldest", () => {
  const threads = [
    thread("a", [call("call_1", { since: now - minutes(5) }), call("call_2", { since: now - minutes(9) })]),
    thread("b", [
      call("call_1", { since: now, deadline: now + minutes(9) }),
      call("call_2", { since: now, deadline: now + minutes(2) }),
    ]),
    thread("c", [call("call_1", { since: now - minutes(7), deadline: now + minutes(600) })]),
    thread("d", [call("call_1", { since: now - minutes(1), deadline: now - 1 })]),
  ];
  expect(idsIn(threads)).toEqual(["d call_1", "b call_2", "b call_1", "a call_2", "c call_1", "a call_1"]);
});

test("calls of the same age stay together by thread, in their order", () => {
  const since = now - 5;
  const calls = [call("call_10", { since }), call("call_2", { since }), call("call_9", { since })];
  expect(idsIn([thread("b", calls), thread("a", calls)])).toEqual([
    "a call_2",
    "a call_9",
    "a call_10",
    "b call_2",
    "b call_9",
    "b call_10",
  ]);
});

test("a call without a time is as old as the last change of its thread", () => {
  expect(idsIn([thread("b", [call("call_1")]), thread("a", [call("call_1", { since: now + 1 })])])).toEqual([
    "b call_1",
    "a call_1",
  ]);
});

test("filters combine, and offer what occurs", () => {
  const lines = linesOf(
    [
      thread("a", [
        call("call_1", { agent: "office", annotations: { destructive: true } }),
        call("call_2", { agent: "office/researcher", path: "task#call_2 > mail", name: "mail" }),
        call("call_3"),
      ]),
    ],
    now,
  );
  expect(filterChoices(lines)).toEqual({
    agents: ["helper", "office", "researcher"],
    tools: ["mail", "pay"],
    risks: ["destructive", "other"],
  });
  const shown = (filter: Parameters<typeof isShown>[1]): readonly string[] =>
    lines.filter((line) => isShown(line, filter)).map(({ call: { id } }) => id);
  expect(shown({})).toEqual(["call_1", "call_2", "call_3"]);
  expect(shown({ tool: "pay", risk: "other" })).toEqual(["call_3"]);
  expect(shown({ agent: "researcher" })).toEqual(["call_2"]);
  expect(shown({ agent: "office" })).toEqual(["call_1", "call_2"]); // with its sub-agents
});

test("a filter is the same after it was written into an address", () => {
  const filter = { agent: "a & b", tool: "pay", risk: "edits" } as const;
  expect(filterIn(new URLSearchParams(searchOf(filter).toString()))).toEqual(filter);
  expect(filterIn(new URLSearchParams("risk=none"))).toEqual({});
});

test("the risk is the most severe annotation", () => {
  expect(riskOf({ annotations: { destructive: true, edits: true } })).toBe("destructive");
  expect(riskOf({ annotations: { edits: true, readOnly: true } })).toBe("edits");
  expect(riskOf({ annotations: { readOnly: true } })).toBe("read-only");
  expect(riskOf({})).toBe("other");
});
