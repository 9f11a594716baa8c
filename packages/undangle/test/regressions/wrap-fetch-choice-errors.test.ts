import { assemble } from "undangle";
import { describe, expect, test } from "vitest";

import { chatWays, heardOf } from "../clients/heard-of.ts";
import { chunk, done, events, passedThrough, ways } from "../clients/passed-through.ts";
import { chat } from "../clients/requests.ts";

/** An error that stands in a choice, as OpenRouter's types have it, was taken for success, and the call before it was run. */
const call = { index: 0, id: "a", type: "function", function: { name: "find_book", arguments: '{"x":1}' } };
const begun = [chunk({ role: "assistant", content: "Hé" }), chunk({ tool_calls: [call] })] as const;
const error = { code: 502, message: "Provider disconnected" };

describe.each(ways)("in pieces of $size, calls: $toolCalls", (way) => {
  test.each([null, "stop", "tool_calls", "error"])("behind a call, with the reason %j", async (reason) => {
    const body = events(...begun, chunk({}, reason, { error }), done);
    const passed = await passedThrough({ ...chat, ...way, body });
    expect(passed.error).toContain("Provider disconnected");
    expect(passed.text).toContain("Hé");
    expect(way.toolCalls === "stream" || !passed.text.includes("find_book")).toBe(true);
    expect(passed.told).toHaveLength(1);
  });

  test("behind a text", async () => {
    const body = events(begun[0], chunk({ content: "!" }, "stop", { error: "broken" }), done);
    const passed = await passedThrough({ ...chat, ...way, body });
    expect(passed.error).toContain("broken");
    expect(passed.text).toContain('"content":"!"');
  });

  test("none is no error", async () => {
    const body = events(...begun, chunk({}, "tool_calls", { error: null }), done);
    expect(await passedThrough({ ...chat, ...way, body })).toEqual({ text: body, error: undefined, told: [] });
  });
});

test.each(chatWays)("$sdk.name sees it, calls: $toolCalls", async (way) => {
  const { calls, error: seen } = await heardOf(events(...begun, chunk({}, null, { error }), done), way);
  expect(calls).toEqual([]);
  expect(seen).toBeDefined();
});

describe("a whole answer", () => {
  const message = { role: "assistant", content: "Hé", tool_calls: [{ ...call, index: undefined }] };
  const body = JSON.stringify({ id: "x", choices: [{ index: 0, message, finish_reason: "tool_calls", error }] });
  const type = "application/json";

  test("has no calls to be run", async () => {
    const { text, told } = await passedThrough({ ...chat, request: { model: "m", messages: [] }, type, body });
    const choice = { index: 0, message: { role: "assistant", content: "Hé" }, finish_reason: "error", error };
    expect(JSON.parse(text)).toEqual({ id: "x", choices: [choice] });
    expect(told).toHaveLength(1);
  });

  test("is no stream, where one was asked for", async () => {
    expect((await passedThrough({ ...chat, type, body })).text).toBe(body);
  });
});

describe("a whole answer with an error beside its choices", () => {
  const asked = { ...chat, request: { model: "m", messages: [] }, type: "application/json" };
  const message = { role: "assistant", content: "Hé", tool_calls: [{ ...call, index: undefined }] };
  const choice = { index: 0, message, finish_reason: "tool_calls" };
  const bodyWith = (given: unknown, ...choices: readonly object[]): string =>
    JSON.stringify({ id: "x", error: given, choices });

  test.each([error, "Provider disconnected", { code: 502 }])("has no calls to be run: %j", async (given) => {
    const { text, told } = await passedThrough({ ...asked, body: bodyWith(given, choice, { ...choice, index: 1 }) });
    const left = { index: 0, message: { role: "assistant", content: "Hé" }, finish_reason: "error" };
    expect(JSON.parse(text)).toEqual({ id: "x", error: given, choices: [left, { ...left, index: 1 }] });
    expect(told).toHaveLength(1);
  });

  test("is no stream, where one was asked for", async () => {
    const body = bodyWith(error, choice);
    expect((await passedThrough({ ...asked, request: chat.request, body })).text).toBe(body);
  });

  test.each([
    ["that says nothing", bodyWith({}, choice)],
    ["with blank fields", bodyWith({ message: "", type: "", code: null }, choice)],
    ["that is none", bodyWith(null, choice)],
    ["beside a text", bodyWith(error, { ...choice, message: { role: "assistant", content: "Hé" } })],
    ["beside no choices", bodyWith(error)],
  ])("passes as it is: an error %s", async (_, body) => {
    expect(await passedThrough({ ...asked, body })).toEqual({ text: body, error: undefined, told: [] });
  });
});

test("assemble ends such a turn with an error", async () => {
  const frames = [...begun, chunk({}, null, { error })];
  const turn = await assemble(frames, { format: "openai-chat" }).turn();
  expect(turn).toMatchObject({ finish: "error", complete: false, error: { code: "502", message: error.message } });
});
