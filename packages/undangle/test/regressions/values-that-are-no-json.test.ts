import { check, convert, detect, repair } from "undangle";
import type { Format } from "undangle";
import { describe, expect, test } from "vitest";
import { generate, messagesOf } from "../judge/generate.ts";
import { formats } from "../judge/subjects.ts";

/** Objects that cannot become text, values that JSON does not have, and lists with holes in them. */
const odd: Readonly<Record<string, (value: unknown) => unknown>> = {
  "an object with a toString of its own": (value) => ({ toString: value }),
  "an object without a prototype": () => Object.assign(Object.create(null), { a: 1 }) as unknown,
  "a list with a hole in front": (value) => holed([undefined, value]),
  "a list with holes behind": (value) => holed([value, undefined, undefined]),
  undefined: () => undefined,
  NaN: () => Number.NaN,
  "a function": () => () => 1,
  "a symbol": () => Symbol("odd"),
};

/** The list with a hole in place of every undefined. */
function holed(list: readonly unknown[]): unknown[] {
  const copy: unknown[] = [];
  copy.length = list.length;
  list.forEach((value, i) => {
    if (value !== undefined) copy[i] = value;
  });
  return copy;
}

/** Every holder in a value, with each of its keys. */
function spotsIn(value: unknown): readonly { readonly holder: Record<string, unknown>; readonly key: string }[] {
  if (typeof value !== "object" || value === null) return [];
  const holder = value as Record<string, unknown>; // a list is one too, by its indexes
  return Object.keys(holder).flatMap((key) => [{ holder, key }, ...spotsIn(holder[key])]);
}

describe.each(formats)("%s", (format) => {
  test.each(Object.keys(odd))("takes %s anywhere: nothing throws, and one repair is enough", (name) => {
    const change = odd[name] ?? String;
    const size = spotsIn(messagesOf(generate(format, 5, 2), format)).length;
    for (let at = 0; at < size; at += 1 + Math.floor(size / 50)) {
      const body = structuredClone(generate(format, 5, 2));
      const spot = spotsIn(messagesOf(body, format))[at];
      if (spot === undefined) continue;
      spot.holder[spot.key] = change(spot.holder[spot.key]);
      detect(body);
      const { output, problems } = repair(body, { format });
      expect(problems.filter(({ repairable }) => repairable)).toEqual([]);
      expect(check(output, { format })).toEqual(problems);
      expect(repair(output, { format }).output).toBe(output);
      const to: Format = format === "anthropic" ? "openai-chat" : "anthropic";
      expect(() => convert(body, { from: format, to })).not.toThrow();
    }
  });
});

test("a hole is the entry that JSON writes for it", () => {
  const call = { id: "call_1", type: "function", function: { name: "read", arguments: "{}" } };
  const content = holed([{ type: "text", text: "first" }, undefined, { type: "text", text: "second" }]);
  const messages = [
    { role: "user", content },
    { role: "assistant", content: null, tool_calls: holed([undefined, call]) },
    { role: "tool", tool_call_id: "call_1", content: "result" },
  ];
  const { output, problems } = repair(messages, { format: "openai-chat" });
  expect(problems).toEqual([]);
  expect(output[1]).toEqual({ role: "assistant", content: null, tool_calls: [call] });
  expect(JSON.stringify(output)).not.toContain("null,{");
});

test("a message that is nothing at all goes", () => {
  const said = { role: "user", content: "hi" };
  for (const format of ["openai-chat", "anthropic", "openai-responses"] as const) {
    for (const nothing of [null, undefined, "", []]) {
      const { output, edits, problems } = repair([nothing, said], { format });
      expect({ output, problems }).toEqual({ output: [said], problems: [] });
      expect(edits).toMatchObject([{ type: "remove", lossless: true }]);
    }
  }
});
