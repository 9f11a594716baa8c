import { describe, expect, test } from "vitest";
import { assemble } from "undangle";

import { begun, calls, end, more } from "../clients/chat-chunks.ts";
import { chunk, done, events, passedThrough } from "../clients/passed-through.ts";
import { chat } from "../clients/requests.ts";

/** Streams so long that their events are read sixteen bytes at a time, which those of a few events never are. */
const size = 16 * 1024;

const pieces = (of: string): readonly string[] => of.match(/[^]{1,20}/gu) ?? [];
const said = 'He said "yes",\nand then 好 — '.repeat(2000);
const args = { path: "a.ts", content: 'if (a !== "b") total += 1;\n\t// é 😀\n'.repeat(3000) };

const text = [chunk({ role: "assistant", content: "" }), ...pieces(said).map((content) => chunk({ content }))];
const begin = (index: number, id: string | null): object => calls({ ...begun(index, "write"), id });
const rest = (index: number): readonly object[] => pieces(JSON.stringify(args)).map((each) => calls(more(index, each)));

describe.each(["hold", "stream"] as const)("a long stream, calls: %s", (toolCalls) => {
  test("passes as it came", async () => {
    const given = [begin(0, "call_0"), ...rest(0), begin(1, "call_1"), ...rest(1)];
    const body = events(...text, ...given, end, done);
    for (let round = 0; round < 2; round++) {
      const passed = await passedThrough({ ...chat, size, body, toolCalls });
      expect({ ...passed, text: passed.text === body }).toEqual({ text: true, error: undefined, told: [] });
    }
  });

  test("is mended where it is damaged", async () => {
    const given = [begin(0, null), ...rest(0), begin(1, null), ...rest(1)];
    const body = events(...text, ...given, chunk({}, "stop"), done);
    const passed = await passedThrough({ ...chat, size, body, toolCalls });
    expect(passed.told).toHaveLength(1);
    const turn = await assemble([passed.text], { format: "openai-chat" }).turn();
    expect(turn).toMatchObject({ text: said, finish: "tool_calls", anomalies: [] });
    expect(turn.calls.map((call) => call.arguments)).toEqual([args, args]);
  });

  test("ends in an error where it is cut off", async () => {
    const body = events(...text, begin(0, "call_0"), ...rest(0).slice(0, -5));
    const { error, text: passed } = await passedThrough({ ...chat, size, body, toolCalls });
    expect(error).toContain("cut off");
    expect(passed.startsWith(events(...text))).toBe(true);
  });
});
