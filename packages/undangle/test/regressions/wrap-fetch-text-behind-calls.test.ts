import { describe, expect, test } from "vitest";

import { begun, calls, end, more, role } from "../clients/chat-chunks.ts";
import { chunk, done, events, passedThrough, ways } from "../clients/passed-through.ts";
import { chat } from "../clients/requests.ts";

/** With calls that pass while they come, text changed places with a call before it that has no arguments. */
const begins = (index: number, given: string): object => calls(begun(index, "f", given));
const goesOn = (index: number, given: string): object => calls(more(index, given));
const text = chunk({ content: "Hi" });

describe.each(ways)("text stays behind a call, in pieces of $size, calls: $toolCalls", (way) => {
  test.each([
    ["without arguments", [role, begins(0, "{}"), end]],
    ["without arguments, and text", [role, begins(0, "{}"), text, end]],
    ["without arguments, and thoughts", [role, begins(0, "{}"), chunk({ reasoning_content: "Hm" }), end]],
    ["whose arguments come by themselves", [role, begins(0, ""), goesOn(0, "{}"), text, text, end]],
    ["between calls", [role, begins(0, "{}"), text, begins(1, "{}"), text, begins(2, '{"x":1}'), text, end]],
    ["behind several", [role, begins(0, "{}"), begins(1, "{}"), text, end]],
  ])("%s", async (_, frames) => {
    const body = events(...frames, done);
    expect(await passedThrough({ ...chat, ...way, body })).toEqual({ text: body, error: undefined, told: [] });
  });
});

test.each(["null", '""', '"{}"'])(
  "what no client reads as arguments is mended behind text as well: %s",
  async (given) => {
    const body = events(role, begins(0, given), text, end, done);
    for (const way of ways) {
      const { text: came, error } = await passedThrough({ ...chat, ...way, body });
      expect(error).toBeUndefined();
      expect(came).toContain('"arguments":"{}"');
    }
  },
);

describe("a call that goes on behind text is never taken for what it was", () => {
  const malformed = [
    ["the same and more", [begins(0, '{"x":1}'), text, goesOn(0, '{"x":1,"y":2}')]],
    ["more than fits", [begins(0, '{"x":1}'), text, goesOn(0, ',"y":2}')]],
  ] as const;
  const replaced = ["those for which others stood", [begins(0, "{}"), text, goesOn(0, '{"x":1}')]] as const;

  test.each([
    ...[...malformed, replaced].map(([what, frames]) => ["hold", what, frames] as const),
    ["stream", ...replaced] as const,
  ])("%s: %s", async (toolCalls, _, frames) => {
    const body = events(role, ...frames, end, done);
    const { text: came, error, told } = await passedThrough({ ...chat, toolCalls, body });
    expect(error).toContain("cannot be mended");
    expect(came).toContain("Hi");
    expect(came).not.toContain('finish_reason":"tool_calls');
    expect(told).toHaveLength(1);
  });

  test.each(malformed)("while it comes, it has all that was sent, which is no JSON: %s", async (_, frames) => {
    const body = events(role, ...frames, end, done);
    const { text: came } = await passedThrough({ ...chat, toolCalls: "stream", body });
    const given = [...came.matchAll(/"arguments":("(?:[^"\\]|\\.)*")/gu)].map(([, said = ""]) =>
      String(JSON.parse(said)),
    );
    expect(() => void JSON.parse(given.join(""))).toThrow(SyntaxError);
  });
});
