import type { AgentEvent, EntryPage, RemoteEntry } from "undangle/client";
import { describe, expect, test } from "vitest";

import { openedState, refreshedState, stateAfter, withOlder } from "./thread-state.ts";
import type { ThreadState } from "./thread-state.ts";

const input = (entry: number, text = "Hello."): RemoteEntry => ({
  entry,
  type: "input",
  at: 1,
  parts: [{ type: "text", text }],
  calls: [],
});

const page = (data: readonly RemoteEntry[], last = 0, before: number | null = null): EntryPage => ({
  data,
  before,
  last_event: String(last),
});

type Draft = { [Type in AgentEvent["type"]]: Omit<Extract<AgentEvent, { type: Type }>, "id"> }[AgentEvent["type"]];

/** Events with ids after a number. */
const events = (after: number, ...drafts: readonly Draft[]): readonly AgentEvent[] =>
  drafts.map((draft, i) => ({ id: String(after + 1 + i), ...draft }));

const played = (state: ThreadState, all: readonly AgentEvent[]): ThreadState => all.reduce(stateAfter, state);

const usage = { inputTokens: 1, outputTokens: 2, totalTokens: 3, cachedTokens: 0 };
const start: Draft = { type: "model_start", data: { step: 1, model: "m" } };
const call: Draft = { type: "tool_call_start", data: { id: "call_1", name: "pay" } };

describe("the state of a thread", () => {
  test("a turn grows part by part, and becomes an entry at its end", () => {
    const state = played(
      openedState(page([input(0)], 1)),
      events(
        1,
        start,
        { type: "reasoning_delta", data: { text: "Hm" } },
        { type: "reasoning_delta", data: { text: "m." } },
        { type: "text_delta", data: { text: "I " } },
        { type: "text_delta", data: { text: "pay." } },
        call,
        { type: "tool_call_delta", data: { id: "call_1", text: '{"a":1' } },
      ),
    );
    expect(state.live?.parts).toEqual([
      { type: "reasoning", text: "Hmm." },
      { type: "text", text: "I pay." },
      { type: "call", id: "call_1" },
    ]);
    expect(state.live?.calls[0]).toMatchObject({ written: '{"a":1' });
    const ended = played(
      state,
      events(
        8,
        { type: "model_end", data: { finish: "tool_calls", entry: 1, tokens: usage } },
        { type: "tool_call_ready", data: { id: "call_1", name: "pay", arguments: { a: 1 } } },
      ),
    );
    expect(ended.live).toBeUndefined();
    expect(ended.entries.at(-1)).toMatchObject({ entry: 1, type: "turn", finish: "tool_calls", tokens: usage });
    expect(ended.entries.at(-1)?.calls).toEqual([
      { id: "call_1", name: "pay", arguments: { a: 1 }, status: "proposed" },
    ]);
  });

  const turn = (status: "proposed" | "awaiting" | "running"): RemoteEntry => ({
    ...input(1),
    type: "turn",
    parts: [{ type: "call", id: "call_1" }],
    calls: [{ id: "call_1", name: "pay", arguments: {}, status }],
  });
  const pending = { name: "pay", arguments: {}, digest: "d", decisions: [], always: [] };

  test.each<[Draft, string, object]>([
    [{ type: "approval_required", data: { ...pending, id: "call_1" } }, "awaiting", {}],
    [{ type: "approval_required", data: { ...pending, id: "call_1/call_7" } }, "delegated", {}],
    [{ type: "tool_call_running", data: { id: "call_1", name: "pay", attempt: 1 } }, "running", {}],
    [
      { type: "tool_call_running", data: { id: "call_1", name: "pay", attempt: 1, progress: 0.5 } },
      "running",
      { progress: 0.5 },
    ],
    [
      { type: "tool_call_end", data: { id: "call_1", name: "pay", success: false, status: "lost", error: "Gone." } },
      "lost",
      { error: "Gone." },
    ],
  ])("%j makes a call %s", (draft, status, more) => {
    const { entries } = played(openedState(page([input(0), turn("proposed")], 5)), events(5, draft));
    expect(entries[1]?.calls[0]).toMatchObject({ status, ...more });
  });

  test("a discarded response disappears, and its reason is shown until the turn ends", () => {
    const discarded = played(
      openedState(page([], 0)),
      events(
        0,
        start,
        { type: "text_delta", data: { text: "No" } },
        { type: "model_discarded", data: { reason: "cut" } },
      ),
    );
    expect([discarded.live?.parts, discarded.discarded]).toEqual([[], ["cut"]]);
    const ended = played(discarded, events(3, { type: "model_end", data: { finish: "stop", entry: 0 } }));
    expect(ended.discarded).toEqual([]);
  });

  test("an event that the page contains changes only how the last run ended", () => {
    const known = openedState(page([input(0), turn("awaiting")], 9));
    const state = played(
      known,
      events(
        6,
        { type: "tool_call_running", data: { id: "call_1", name: "pay", attempt: 1 } },
        { type: "text_delta", data: { text: "old" } },
        { type: "run_end", data: { runId: "r", status: "failed", usage, threadUsage: usage } },
      ),
    );
    expect([state.entries, state.live, state.isStale]).toEqual([known.entries, undefined, false]);
    expect(state.end?.status).toBe("failed");
  });

  test("events of a sub-agent only show what it does", () => {
    const known = openedState(page([input(0), turn("running")], 5));
    const state = played(known, [
      { id: "5", type: "text_delta", data: { text: "inner" }, path: ["call_1"] },
      { id: "5", type: "tool_call_running", data: { id: "call_1/call_2", name: "drop", attempt: 1 }, path: ["call_1"] },
    ]);
    expect([state.entries, state.live, state.activity]).toEqual([known.entries, undefined, { call_1: "drop" }]);
  });

  test("a lost call of a sub-agent is known from its event, also from one before the page", () => {
    const lost: Draft = {
      type: "tool_call_end",
      data: { id: "call_1/call_2", name: "pay", status: "lost", success: false, error: "interrupted" },
      path: ["call_1"],
    };
    const opened = openedState(page([input(0)], 5));
    const state = played(opened, [...events(3, lost), ...events(5, lost)]);
    expect(state.lostInside).toEqual([{ id: "call_1/call_2", name: "pay" }]);
    expect(refreshedState(state, page([input(0)], 6), []).lostInside).toEqual(state.lostInside);
  });

  test("a child thread reads its own events and those of its children", () => {
    const known = openedState(page([], 0), ["call_1"]);
    const state = played(known, [
      { id: "1", path: ["call_1"], type: "text_delta", data: { text: "mine" } },
      { id: "1", path: ["call_1", "call_2"], type: "text_delta", data: { text: "deeper" } },
    ]);
    expect([state.live?.parts, state.activity]).toEqual([[{ type: "text", text: "mine" }], { "call_1/call_2": "" }]);
  });

  test("reading the page again at any event gives the state without it", () => {
    const all = events(
      1,
      { type: "run_start", data: { runId: "r", reason: "message", mode: "ask" } },
      start,
      { type: "text_delta", data: { text: "One" } },
      { type: "text_delta", data: { text: " two" } },
      call,
      { type: "tool_call_delta", data: { id: "call_1", text: "{}" } },
    );
    const opened = openedState(page([input(0)], 1));
    const without = played(opened, all);
    for (let i = 0; i <= all.length; i++) {
      const at = played(opened, all.slice(0, i));
      const hasStart = i > 0; // a page that contains the start of the run has its mode
      const newest = { ...page([input(0)], hasStart ? 2 : 1), ...(hasStart && { mode: "ask" as const }) };
      const again = refreshedState(at, newest, all.slice(0, i));
      const after = played(again, all.slice(i));
      expect({ ...after, last: 0, reads: 0, isStale: true }).toEqual({ ...without, last: 0, isStale: true });
    }
  });

  test("older pages precede the newest, and stay when it is read again", () => {
    const newest = openedState(page([input(5), input(6)], 1, 5));
    const more = withOlder(newest, page([input(3), input(4)], 1, 3));
    expect(more.entries.map(({ entry }) => entry)).toEqual([3, 4, 5, 6]);
    const again = refreshedState(more, page([input(6), input(7)], 2, 6), []);
    expect([again.entries.map(({ entry }) => entry), again.before]).toEqual([[3, 4, 5, 6, 7], 3]);
  });

  test("after a gap the unconnected entries are dropped", () => {
    const again = refreshedState(openedState(page([input(0)], 1)), page([input(90)], 99, 90), []);
    expect([again.entries.map(({ entry }) => entry), again.before]).toEqual([[90], 90]);
  });
});
