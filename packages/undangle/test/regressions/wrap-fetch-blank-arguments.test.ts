import { describe, expect, test } from "vitest";

import { begun, calls, callsIn, role } from "../clients/chat-chunks.ts";
import { chunk, done, events, passedThrough, ways } from "../clients/passed-through.ts";
import { chat } from "../clients/requests.ts";

/** A call without arguments was run that was cut off before them: proxies put `[DONE]` behind any stream. */
const said = chunk({ content: "Hé" });
const call = (index: number, given: string): object => calls(begun(index, "wipe", given));

describe.each(ways)("in pieces of $size, calls: $toolCalls", (way) => {
  test.each([
    ["blank", [call(0, "")]],
    ["blanks", [call(0, " \n")]],
    ["null", [call(0, "null")]],
    ["blank behind a call that is whole", [call(0, '{"x":1}'), call(1, "")]],
  ])("arguments that are %s are cut off where nothing says why the turn ends", async (_, given) => {
    const { text, error, told } = await passedThrough({ ...chat, ...way, body: events(role, said, ...given, done) });
    expect(error).toContain("The response was cut off in the middle of a tool call");
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
    ["text", [said], ["wipe {}"]],
    ["text and another call", [said, call(1, '{"x":1}')], ["wipe {}", 'wipe {"x":1}']],
    ["text and another call without any", [said, call(1, "")], ["wipe {}", "wipe {}"]],
  ])("they are none with %s behind them", async (_, rest, meant) => {
    const body = events(role, call(0, ""), ...rest, chunk({}, "tool_calls"), done);
    const { text, error, told } = await passedThrough({ ...chat, ...way, body });
    expect(error).toBeUndefined();
    expect(text).toContain("Hé");
    expect(callsIn(text)).toEqual(meant);
    expect(told).toHaveLength(1);
  });

  test("arguments that are whole need no reason", async () => {
    const { text, error } = await passedThrough({ ...chat, ...way, body: events(role, said, call(0, "{}"), done) });
    expect(error).toBeUndefined();
    expect(text).toContain("wipe");
  });
});
