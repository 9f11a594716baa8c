import { describe, expect, it } from "vitest";

import type { Message, Result } from "./conversation.ts";
import { cutMessages, estimateMessageTokens, outlineMessages } from "./cut-messages.ts";
import { findCuts } from "#core";

const path = "";
const user = (text: string): Message => ({
  role: "user",
  path,
  name: undefined,
  parts: [{ type: "text", path, text }],
});
const said = (text: string): Message => ({ role: "assistant", path, parts: [{ type: "text", path, text }] });

const calls = (...ids: string[]): Message => ({
  role: "assistant",
  path,
  parts: ids.map((id) => ({ type: "call", path, id, name: "read", input: { value: {} }, isCustom: false })),
});

const thought = (message: Message): Message =>
  message.role === "assistant"
    ? {
        ...message,
        parts: [
          { type: "reasoning", path, text: "", seal: { owner: "anthropic", value: "s" }, isRedacted: false },
          ...message.parts,
        ],
      }
    : message;

const results = (...ids: string[]): Message => ({ role: "tool", path, results: ids.map((id) => resultOf(id)) });

const resultOf = (id: string, cause?: "awaiting" | "superseded"): Result => ({
  path,
  id,
  name: "read",
  parts: [{ type: "text", path, text: `result of ${id}` }],
  isError: false,
  ...(cause && { notice: { cause } }),
});

describe("The outline of a conversation", () => {
  it.each<[string, readonly Message[], readonly number[]]>([
    ["keeps a call with its results", [user("a"), calls("a", "b"), results("a", "b"), said("x"), user("b")], [1, 3, 4]],
    [
      "keeps interleaved calls with all results",
      [user("a"), calls("a", "b"), calls("c"), results("a", "c"), results("b"), user("b")],
      [1, 5],
    ],
    [
      "pairs ids that restart with their own turn",
      [user("a"), calls("f:0"), results("f:0"), user("b"), calls("f:0"), results("f:0")],
      [1, 3, 4],
    ],
    ["pairs a late result", [user("a"), calls("a"), user("b"), results("a"), user("c")], [1, 4]],
    [
      "keeps a call that waits for a person",
      [user("a"), calls("a"), { role: "tool", path, results: [resultOf("a", "awaiting")] }, user("b")],
      [1],
    ],
    [
      "cuts after a call that was given up",
      [user("a"), calls("a"), { role: "tool", path, results: [resultOf("a", "superseded")] }, user("b")],
      [1, 3],
    ],
    ["keeps open calls at the end", [user("a"), said("x"), user("b"), calls("a")], [1, 2, 3]],
    ["cuts after open calls in the middle", [user("a"), calls("a"), user("b"), said("x")], [1, 2, 3]],
    [
      "keeps a loop that only starts with thinking",
      [user("a"), thought(calls("a")), results("a"), calls("b"), results("b")],
      [1],
    ],
    [
      "cuts before a later step with thinking",
      [user("a"), thought(calls("a")), results("a"), thought(calls("b")), results("b")],
      [1, 3],
    ],
  ])("%s", (_, messages, expected) => {
    const { users, turns } = findCuts(outlineMessages(messages));
    expect([...users, ...turns].toSorted((a, b) => a - b)).toEqual(expected);
  });
});

describe("A cut of a conversation", () => {
  const messages = [user("first"), said("x"), user("last"), calls("a"), results("a"), calls("b"), results("b")];

  it("keeps the same list if it fits", () => {
    expect(cutMessages(messages, { keep: { messages: 7 } })).toEqual({ cut: undefined, kept: messages, removed: [] });
    expect(cutMessages(messages, { keep: { messages: 7 } }).kept).toBe(messages);
  });

  it("keeps the last message of the user with the last steps", () => {
    const { kept, removed, cut } = cutMessages(messages, { keep: { messages: 3 } });
    expect(kept).toEqual([messages[2], messages[5], messages[6]]);
    expect(removed).toEqual([messages[0], messages[1], messages[3], messages[4]]);
    expect(cut).toEqual({ head: 0, user: 2, from: 5 });
  });

  it("goes by tokens, counted by the caller or estimated", () => {
    expect(cutMessages(messages, { keep: { tokens: 50 }, countTokens: () => 10 }).kept).toHaveLength(5);
    const long = [user("汉".repeat(10_000)), said("x"), user("short")];
    expect(cutMessages(long, { keep: { tokens: 6000 } }).kept).toEqual([long[2]]);
  });
});

describe("An estimate of a message", () => {
  it("does not count paths and seals", () => {
    const seal = { owner: "anthropic", value: "x".repeat(10_000) } as const;
    const long = "messages[1].content[2]".repeat(100);
    const message: Message = {
      role: "assistant",
      path: long,
      parts: [{ type: "reasoning", path: long, text: "hm", seal, isRedacted: false }],
    };
    expect(estimateMessageTokens(message)).toBeLessThan(10);
  });
});
