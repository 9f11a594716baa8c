import { repair } from "undangle";
import { describe, expect, test } from "vitest";

/** An AI message may show a call in three places; each may have its arguments in another wrapping, or none. */
const meant = { a: 1 };
const text = JSON.stringify(meant);
const twice = JSON.stringify(text);
const wrappings: Readonly<Record<string, unknown>> = {
  object: meant,
  text,
  "text in text": twice,
  "text in text in text": JSON.stringify(twice),
  list: [meant],
  "text in a list": [text],
  "list as text": JSON.stringify([meant]),
};
const blanks: Readonly<Record<string, unknown>> = { absent: undefined, null: null, "empty text": "" };
const empties: Readonly<Record<string, unknown>> = { ...blanks, "empty object": {}, "empty object as text": "{}" };

type Wire = Readonly<Record<string, unknown>>;

const history = (own: unknown, sent: unknown, block: unknown, type = "tool_use"): readonly Wire[] => [
  { type: "human", content: "q" },
  {
    type: "ai",
    content: [{ type, id: "c", name: "f", ...(type === "tool_use" ? { input: block } : { args: block }) }],
    tool_calls: [{ type: "tool_call", id: "c", name: "f", args: own }],
    additional_kwargs: { tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: sent } }] },
  },
  { type: "tool", tool_call_id: "c", name: "f", content: "r" },
];

function argumentsOf(messages: readonly Wire[]): unknown {
  const { output, problems } = repair(messages, { format: "langchain" });
  expect(problems).toEqual([]);
  expect(repair(output, { format: "langchain" }).output).toBe(output);
  return (output[1] as { readonly tool_calls: readonly { readonly args: unknown }[] }).tool_calls[0]?.args;
}

describe.each(Object.entries(wrappings))("arguments as %s", (_, wrapped) => {
  test.each(Object.entries(empties))("count in tool_calls, beside %s elsewhere", (__, other) => {
    expect(argumentsOf(history(wrapped, other, other))).toEqual(meant);
    expect(argumentsOf(history(wrapped, other, other, "tool_call"))).toEqual(meant);
  });

  test.each(Object.entries(blanks))("are taken from another place where tool_calls has %s", (__, own) => {
    for (const other of Object.values(empties)) {
      expect(argumentsOf(history(own, wrapped, other))).toEqual(meant);
      expect(argumentsOf(history(own, other, wrapped))).toEqual(meant);
      expect(argumentsOf(history(own, other, wrapped, "tool_call"))).toEqual(meant);
    }
  });
});

test("an empty object in tool_calls is a call without arguments", () => {
  expect(argumentsOf(history({}, text, meant))).toEqual({});
});
