import { describe, expect, test } from "vitest";
import { envelopes } from "./envelopes.ts";

const tag = (name: string, body: string, marks = ""): string => `<${name}${marks}>${body}</${name}>`;

/** Reads a text that starts with an envelope: the length of the envelope, and its calls. */
function read(text: string): unknown {
  const envelope = envelopes.find(({ openers }) => openers.some((opener) => text.startsWith(opener)));
  const end = envelope?.end(text, true);
  if (envelope === undefined || end === undefined) return undefined;
  const calls = envelope.read(text.slice(0, end));
  return { rest: text.slice(end), calls: calls?.map((call) => `${call.name} ${call.arguments}`) };
}

describe("every envelope", () => {
  test.each<[about: string, text: string, calls: string[] | undefined]>([
    ["JSON in a tag", tag("tool_call", '{"name":"f","arguments":{"a":1}}'), ['f {"a":1}']],
    [
      "JSON with the closing tag in a string",
      tag("tool_call", '{"name":"f","arguments":{"a":"</tool_call>"}}'),
      ['f {"a":"</tool_call>"}'],
    ],
    ["JSON that lacks a bracket", tag("tool_call", '{"name":"f","arguments":{"a":1}'), undefined],
    ["something else in the tag", tag("tool_call", "I think so."), undefined],
    [
      "tags in tags",
      tag("tool_calls", tag("tool_call", '{"name":"f"}') + tag("tool_call", '{"name":"g"}')),
      ["f {}", "g {}"],
    ],
    [
      "parameters as tags",
      "<function=f><parameter=a>\n1\n</parameter><parameter=b>x</parameter></function>",
      ['f {"a":1,"b":"x"}'],
    ],
    ["keys and values", tag("tool_call", `f${tag("arg_key", "a")}${tag("arg_value", "[1]")}`), ['f {"a":[1]}']],
    [
      "the old tags",
      tag("function_calls", tag("invoke", tag("parameter", "x", ' name="a"'), ' name="f"')),
      ['f {"a":"x"}'],
    ],
    [
      "DSML",
      tag("｜DSML｜invoke", tag("｜DSML｜parameter", "1", ' name="a" string="true"'), ' name="f"'),
      ['f {"a":"1"}'],
    ],
    ["Kimi", "<|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{}<|tool_call_end|>", ["f {}"]],
    ["DeepSeek", "<｜tool▁call▁begin｜>f<｜tool▁sep｜>{}<｜tool▁call▁end｜>", ["f {}"]],
    [
      "XTML",
      '<|open|>call tool="f" index="1"<|sep|><|open|>argument key="a &quot;" type="boolean"<|sep|>true<|close|>argument<|sep|><|close|>call<|sep|>',
      ['f {"a \\"":true}'],
    ],
    ["Mistral's list", '[TOOL_CALLS] [{"name":"f","arguments":{}}]', ["f {}"]],
    ["Mistral's name", "[TOOL_CALLS]f[ARGS]{}", ["f {}"]],
    ["harmony", "<|channel|>commentary to=functions.f <|constrain|>json<|message|>{}<|call|>", ["f {}"]],
    ["a python tag", '<|python_tag|>{"name":"f","parameters":{}}', ["f {}"]],
  ])("%s", (_, text, calls) => {
    expect(read(text)).toEqual({ rest: "", calls });
    expect(read(`${text} and more`)).toEqual({ rest: " and more", calls });
  });

  test("what nobody closed has no end", () => {
    expect(read('<invoke name="f">')).toBeUndefined();
    expect(read('<tool_call>{"name":"f"}')).toBeUndefined();
    expect(read("[TOOL_CALLS]f[ARGS]{")).toBeUndefined();
  });

  test("none is closed before its end", () => {
    const text = tag("tool_call", '{"name":"f","arguments":{"a":1}}');
    const envelope = envelopes.find(({ openers }) => openers.includes("<tool_call>"));
    for (let size = 11; size < text.length; size++) expect(envelope?.end(text.slice(0, size), false)).toBeUndefined();
  });
});
