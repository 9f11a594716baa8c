import { check, repair } from "undangle";
import type { Format } from "undangle";
import { describe, expect, test } from "vitest";

/** One healthy exchange of each format, and the places in it that hold an object, a role or a type. */
const exchanges: Partial<
  Record<Format, { readonly messages: readonly unknown[]; readonly places: readonly string[] }>
> = {
  "openai-chat": {
    messages: [
      { role: "user", content: "ask" },
      {
        role: "assistant",
        content: "text",
        tool_calls: [{ id: "call_1", type: "function", function: { name: "read", arguments: '{"a":"argument"}' } }],
      },
      { role: "tool", tool_call_id: "call_1", content: "result" },
    ],
    places: ["1", "1.role", "1.tool_calls", "1.tool_calls.0", "1.tool_calls.0.function", "2", "2.role"],
  },
  "openai-responses": {
    messages: [
      { role: "user", content: "ask" },
      { type: "function_call", call_id: "call_1", name: "read", arguments: '{"a":"argument"}' },
      { type: "function_call_output", call_id: "call_1", output: "result" },
    ],
    places: ["0", "0.role", "1", "1.type", "2", "2.type"],
  },
  anthropic: {
    messages: [
      { role: "user", content: "ask" },
      {
        role: "assistant",
        content: [
          { type: "text", text: "text" },
          { type: "tool_use", id: "toolu_1", name: "read", input: { a: "argument" } },
        ],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "result" }] },
    ],
    places: ["1", "1.role", "1.content.1.type", "1.content.1.input", "2", "2.role", "2.content.0.type"],
  },
  bedrock: {
    messages: [
      { role: "user", content: [{ text: "ask" }] },
      {
        role: "assistant",
        content: [{ text: "text" }, { toolUse: { toolUseId: "t1", name: "read", input: { a: "argument" } } }],
      },
      { role: "user", content: [{ toolResult: { toolUseId: "t1", content: [{ text: "result" }] } }] },
    ],
    places: ["1", "1.role", "1.content.1.toolUse", "1.content.1.toolUse.input", "2", "2.content.0.toolResult"],
  },
  gemini: {
    messages: [
      { role: "user", parts: [{ text: "ask" }] },
      { role: "model", parts: [{ text: "text" }, { functionCall: { name: "read", args: { a: "argument" } } }] },
      { role: "user", parts: [{ functionResponse: { name: "read", response: { output: "result" } } }] },
    ],
    places: ["1.role", "1.parts.1.functionCall", "1.parts.1.functionCall.args", "2.role", "2.parts.0.functionResponse"],
  },
  ollama: {
    messages: [
      { role: "user", content: "ask" },
      {
        role: "assistant",
        content: "text",
        tool_calls: [{ id: "call_1", function: { name: "read", arguments: { a: "argument" } } }],
      },
      { role: "tool", content: "result", tool_name: "read", tool_call_id: "call_1" },
    ],
    places: ["1", "1.role", "1.tool_calls", "1.tool_calls.0", "1.tool_calls.0.function", "2", "2.role"],
  },
  langchain: {
    messages: [
      { type: "human", content: "ask" },
      {
        type: "ai",
        content: "text",
        tool_calls: [{ type: "tool_call", id: "call_1", name: "read", args: { a: "argument" } }],
      },
      { type: "tool", content: "result", tool_call_id: "call_1" },
    ],
    places: ["1.tool_calls", "1.tool_calls.0"],
  },
};

/** Lists that hold one thing, in formats where a list in a list means the thing itself. */
const listed: Partial<Record<Format, readonly string[]>> = {
  anthropic: ["1.content.1", "2.content.0"],
  bedrock: ["1.content.1", "2.content.0"],
  gemini: ["1", "1.parts.1", "2", "2.parts.0"],
};

const wrappings: Readonly<Record<string, (value: unknown) => unknown>> = {
  "JSON text": (value) => JSON.stringify(value),
  "a list of one": (value) => [value],
  "a list of JSON text": (value) => [JSON.stringify(value)],
  "JSON text of a list": (value) => JSON.stringify([value]),
  "a list in a list": (value) => [[value]],
};

/** A copy of the list with another value at a path such as `1.tool_calls.0`. */
function changed(list: readonly unknown[], path: string, change: (value: unknown) => unknown): unknown[] {
  const copy = structuredClone(list) as unknown[];
  const keys = path.split(".");
  const last = keys.pop() ?? "";
  const holder = keys.reduce<object>((value, key) => Reflect.get(value, key) as object, copy); // through objects and lists alone
  Reflect.set(holder, last, change(Reflect.get(holder, last)));
  return copy;
}

const cases = Object.entries(exchanges).flatMap(([format, { messages, places }]) => [
  ...places.flatMap((place) =>
    Object.entries(wrappings)
      .filter(([name]) => (!place.endsWith(".args") && !place.endsWith(".input") ? true : name === "JSON text"))
      .map(([name, wrap]) => ({ format: format as Format, messages, place, name, wrap })),
  ),
  ...(listed[format as Format] ?? []).flatMap((place) =>
    ["a list of one", "a list in a list"].map((name) => ({
      format: format as Format,
      messages,
      place,
      name,
      wrap: wrappings[name] ?? String,
    })),
  ),
]);

describe("a value that is JSON text, or alone in a list", () => {
  test.each(cases)("$format: $place as $name becomes what it means", ({ format, messages, place, wrap }) => {
    expect(check(messages, { format })).toEqual([]);
    const broken = changed(messages, place, wrap);
    expect(check(broken, { format })).not.toEqual([]);
    const { output, problems, edits } = repair(broken, { format });
    expect(output).toEqual(messages);
    expect(problems).toEqual([]);
    expect(edits.every(({ lossless }) => lossless)).toBe(true);
    expect(repair(output, { format }).output).toBe(output);
  });
});
