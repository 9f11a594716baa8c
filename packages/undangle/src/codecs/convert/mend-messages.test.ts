import fc from "fast-check";
import { describe, expect, test } from "vitest";

import type { AssistantMessage, Message, Result, ToolMessage, UserMessage } from "./conversation.ts";
import { mendMessages, mendMessagesAsync } from "./mend-messages.ts";

const say = (text: string): UserMessage => ({
  role: "user",
  path: "",
  name: undefined,
  parts: [{ type: "text", path: "", text }],
});
const answer = (...ids: string[]): AssistantMessage => ({
  role: "assistant",
  path: "",
  parts: [
    { type: "text", path: "", text: `Calls ${ids.join()}.` },
    ...ids.map((id) => ({ type: "call" as const, path: "", id, name: "look", input: { text: "{}" }, isCustom: false })),
  ],
});
const result = (id: string, text = `result of ${id}`): Result => ({
  path: "",
  id,
  name: "look",
  parts: [{ type: "text", path: "", text }],
  isError: false,
});
const tell = (...ids: string[]): ToolMessage => ({ role: "tool", path: "", results: ids.map((id) => result(id)) });

/** A short form of messages: roles, calls and results. */
const shapeOf = (messages: readonly Message[]): string =>
  messages
    .map((message) => {
      if (message.role === "tool")
        return `T(${message.results.map(({ id, isError }) => `${id}${isError ? "!" : ""}`).join()})`;
      if (message.role !== "assistant") return message.role === "user" ? "H" : "S";
      return `A(${message.parts.flatMap((part) => (part.type === "call" ? [part.id] : [])).join()})`;
    })
    .join(" ");

/** Assistant messages whose results do not directly follow in call order, or whose calls share an id. */
function unpaired(messages: readonly Message[]): readonly string[] {
  const seen = new Set<string>();
  return messages.flatMap((message, i) => {
    if (message.role === "tool") return messages[i - 1]?.role === "assistant" ? [] : [`${i}: results of nothing`];
    if (message.role !== "assistant") return [];
    const ids = message.parts.flatMap((part) => (part.type === "call" ? [part.id ?? ""] : []));
    const next = messages[i + 1];
    const results = next?.role === "tool" ? next.results.map((each) => each.id ?? "") : [];
    const again = ids.filter((id) => seen.has(id));
    for (const id of ids) seen.add(id);
    return ids.join() === results.join() && again.length === 0 ? [] : [`${i}: ${ids.join()} / ${results.join()}`];
  });
}

describe("mendMessages", () => {
  test("gives back the same list when nothing is wrong with it", () => {
    for (const messages of [[], [say("Hi.")], [say("Hi."), answer("a", "b"), tell("a", "b"), answer()]]) {
      expect(mendMessages(messages)).toEqual({ messages, edits: [] });
      expect(mendMessages(messages).messages).toBe(messages);
    }
  });

  test.each([
    ["a call without a result", [say("1"), answer("a"), say("2")], "H A(a) T(a!) H"],
    ["two calls of which one is answered", [say("1"), answer("a", "b"), tell("b"), say("2")], "H A(a,b) T(a!,b) H"],
    ["an answer right behind", [say("1"), answer("a"), answer(), say("2")], "H A(a) T(a!) A() H"],
    ["a late result", [say("1"), answer("a"), say("2"), tell("a")], "H A(a) T(a) H"],
    ["a result before its call", [say("1"), tell("a"), answer("a"), say("2")], "H A(a) T(a) H"],
    ["a doubled turn", [say("1"), answer("a"), tell("a"), answer("a"), tell("a")], "H A(a) T(a) A(a_2) T(a_2)"],
    ["results in two messages", [say("1"), answer("a", "b"), tell("a"), tell("b"), say("2")], "H A(a,b) T(a,b) H"],
    ["no results in a message", [say("1"), answer("a"), tell("a"), tell(), tell(), say("2")], "H A(a) T(a) H"],
    ["results in another order", [say("1"), answer("a", "b", "c"), tell("c", "a")], "H A(a,b,c) T(a,b!,c)"],
  ])("mends %s", (_, messages, shape) => {
    const { messages: mended, edits } = mendMessages(messages);
    expect(unpaired(mended)).toEqual([]);
    expect(shapeOf(mended).replaceAll(/a_\w+/gu, "a_2")).toBe(shape);
    expect(edits.length > 0 || messages.length > mended.length).toBe(true);
    expect(mended[0]).toBe(messages.find(({ role }) => role === "user")); // valid messages stay the same objects
  });

  test("keeps what a result holds when its call is gone: pictures too", () => {
    const picture = {
      type: "media" as const,
      path: "",
      kind: "image" as const,
      mediaType: "image/png",
      source: { type: "url" as const, url: "https://x.test/a.png" },
    };
    const orphan: ToolMessage = { role: "tool", path: "", results: [{ ...result("gone"), parts: [picture] }] };
    for (const orphans of ["restore", "quote"] as const) {
      const { messages } = mendMessages([say("1"), orphan, say("2")], { orphans });
      expect(unpaired(messages)).toEqual([]);
      expect(JSON.stringify(messages)).toContain("a.png");
    }
    expect(shapeOf(mendMessages([say("1"), orphan, say("2")], { orphans: "drop" }).messages)).toBe("H H");
  });

  test("speaks in the words of the caller, which may be promised, and in its own where those fail", async () => {
    const messages = [say("1"), answer("a"), say("2")];
    const textOf = (mended: readonly Message[]): unknown =>
      mended.flatMap((each) => (each.role === "tool" ? each.results.flatMap(({ parts }) => parts) : []))[0];
    expect(textOf(mendMessages(messages, { notice: ({ name, id }) => `${name} ${id}?` }).messages)).toMatchObject({
      text: "look a?",
    });
    const later = await mendMessagesAsync(messages, { notice: ({ id }) => Promise.resolve(`later ${id}`) });
    expect(textOf(later.messages)).toMatchObject({ text: "later a" });
    const failing = await mendMessagesAsync(messages, {
      language: "zh",
      notice: () => Promise.reject(new Error("no")),
    });
    expect(textOf(failing.messages)).toMatchObject({ text: expect.stringContaining("已被取消") as unknown });
  });

  test("whatever is cut out, moved or doubled: every call has one result, and no result that was there is lost", () => {
    const healthy = [
      say("1"),
      answer("a", "b"),
      tell("a", "b"),
      answer("c"),
      tell("c"),
      say("2"),
      answer("d"),
      tell("d"),
    ];
    fc.assert(
      fc.property(fc.array(fc.nat(healthy.length - 1), { maxLength: 12 }), (places) => {
        const messages = places.flatMap((place) => healthy.slice(place, place + 1));
        const { messages: mended } = mendMessages(messages);
        expect(unpaired(mended)).toEqual([]);
        const { messages: again, edits } = mendMessages(mended);
        expect(edits).toEqual([]);
        expect(again).toBe(mended);
        const text = JSON.stringify(mended);
        for (const id of "abcd") {
          const isThere = messages.some((each) => each.role === "tool" && each.results.some((one) => one.id === id));
          expect(!isThere || text.includes(`result of ${id}`)).toBe(true);
        }
      }),
    );
  });
});
