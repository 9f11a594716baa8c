import { describe, expect, test } from "vitest";

import { chunk, done, events, passedThrough, ways } from "../clients/passed-through.ts";

/** A call without arguments was run that was cut off before them: proxies put `[DONE]` behind any stream. */
const chat = {
  url: "https://host.example/v1/chat/completions",
  request: { model: "m", stream: true, messages: [] },
} as const;
const role = chunk({ role: "assistant", content: null });
const said = chunk({ content: "Hé" });
const call = (index: number, given: string): object =>
  chunk({
    tool_calls: [{ index, id: `call_${index}`, type: "function", function: { name: "wipe", arguments: given } }],
  });

/** The arguments of each call, as a client adds them up. */
function argumentsIn(text: string): readonly string[] {
  const all: string[] = [];
  for (const [, index, given] of text.matchAll(
    /"index":(\d+)(?:,"id":"\w*","type":"function")?,"function":(\{.*?\})\}\]/gu,
  )) {
    const called: unknown = JSON.parse(given ?? "{}");
    if (isCalled(called)) all[Number(index)] = (all[Number(index)] ?? "") + called.arguments;
  }
  return all;
}

const isCalled = (value: unknown): value is { readonly arguments: string } =>
  typeof value === "object" && value !== null && "arguments" in value;

describe.each(ways)("in pieces of $size, calls: $toolCalls", (way) => {
  test.each([
    ["blank", [call(0, "")]],
    ["blanks", [call(0, " \n")]],
    ["null", [call(0, "null")]],
    ["blank behind a call that is whole", [call(0, '{"x":1}'), call(1, "")]],
  ])("arguments that are %s are cut off where nothing says why the turn ends", async (_, calls) => {
    const { text, error, told } = await passedThrough({ ...chat, ...way, body: events(role, said, ...calls, done) });
    expect(error).toContain("The answer was cut off in the middle of a tool call");
    expect(text).toContain("Hé");
    expect(text).not.toMatch(/"finish_reason":"|\[DONE\]/u);
    expect(way.toolCalls === "stream" || !text.includes("wipe")).toBe(true); // what a client sees grow has no end
    expect(told).toHaveLength(1);
  });

  test.each(["tool_calls", "stop"])("they are none where the reason is %s", async (reason) => {
    const body = events(role, said, call(0, ""), chunk({}, reason), done);
    const { text, error } = await passedThrough({ ...chat, ...way, body });
    expect(error).toBeUndefined();
    expect(text).toContain("wipe");
    expect(text).toMatch(/"finish_reason":"tool_calls"/u);
  });

  test.each([
    ["text", [said], ["{}"]],
    ["text and another call", [said, call(1, '{"x":1}')], ["{}", '{"x":1}']],
    ["text and another call without any", [said, call(1, "")], ["{}", "{}"]],
  ])("they are none with %s behind them", async (_, rest, meant) => {
    const body = events(role, call(0, ""), ...rest, chunk({}, "tool_calls"), done);
    const { text, error, told } = await passedThrough({ ...chat, ...way, body });
    expect(error).toBeUndefined();
    expect(text).toContain("Hé");
    expect(argumentsIn(text)).toEqual(meant);
    expect(told).toHaveLength(1);
  });

  test("arguments that are whole need no reason", async () => {
    const { text, error } = await passedThrough({ ...chat, ...way, body: events(role, said, call(0, "{}"), done) });
    expect(error).toBeUndefined();
    expect(text).toContain("wipe");
  });
});
