import { describe, expect, test } from "vitest";

import { begun, calls, end, more, role } from "../clients/chat-chunks.ts";
import * as anthropic from "../clients/message-events.ts";
import { chunk, done, events, named, passedThrough, responseOf, ways } from "../clients/passed-through.ts";
import { chat, messages, responses } from "../clients/requests.ts";
import { called, calling, ended, saying } from "../clients/response-events.ts";

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
    expect(error).toContain("Cannot repair the response");
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

describe.each(ways)("text behind a call that was cut off is heard, in pieces of $size, calls: $toolCalls", (way) => {
  const [created = { type: "" }, , ...spoken] = saying;
  const behind = spoken.map((event) => ("output_index" in event ? { ...event, output_index: 1 } : event));
  const begunItem = [created, ...calling(0, called(0, "f", ""), '{"x"').slice(0, 2)];

  test.each([
    ["the stream ends", [], "ended too early"],
    ["the answer was too long", [{ type: "response.incomplete", response: responseOf("incomplete") }], "cut off"],
    ["the provider reports an error", [{ type: "error", message: "boom", code: null, param: null }], ""],
  ] as const)("of Responses, where %s", async (_, frames, why) => {
    const body = named(...begunItem, ...behind, ...frames);
    const { text: came, error } = await passedThrough({ ...responses, ...way, body });
    expect(came).toContain('"delta":"Hé"');
    expect(came.split('"delta":"Hé"')).toHaveLength(2);
    expect(came.indexOf('"delta":"Hé"')).toBeLessThan(`${came}"boom"`.indexOf('"boom"'));
    expect(error ?? "").toContain(why);
  });

  test("of Responses, where the client has what was not meant", async () => {
    const early = { type: "response.function_call_arguments.delta", item_id: "fc_1", output_index: 1, delta: "1}" };
    const call = calling(1, called(1, "f", '{"x":1}'), '{"x":').filter(({ type }) => !type.endsWith("arguments.done"));
    const body = named(created, spoken[0] ?? created, early, ...spoken.slice(1), ...call, ended());
    expect((await passedThrough({ ...responses, ...way, body })).text).toContain('"delta":"Hé"');
  });

  test("of Anthropic's, where the provider reports an error", async () => {
    if (way.toolCalls === "stream") return; // a block behind the call would end it
    const failed = named({ type: "error", error: { type: "overloaded_error", message: "boom" } });
    const body = anthropic.start + anthropic.called(0, "f", '{"x"') + anthropic.text(1, "Hé", "llo") + failed;
    const { text: came } = await passedThrough({ ...messages, ...way, body });
    expect(came).toContain('"text":"Héllo"');
    expect(came).toContain("boom");
    expect(came).not.toContain("tool_use");
  });
});
