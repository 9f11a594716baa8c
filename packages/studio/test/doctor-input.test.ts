import { describe, expect, test } from "vitest";

import { findHistories } from "../src/doctor/input/find-histories.ts";
import { findValues } from "../src/doctor/input/find-values.ts";
import { readInput } from "../src/doctor/input/input-readers.ts";
import { sampleNames, samples } from "../src/doctor/samples.ts";

const messages = [
  { role: "user", content: "Weather?" },
  { role: "assistant", tool_calls: [{ id: "call_1", type: "function", function: { name: "look", arguments: "{}" } }] },
];
const body = { model: "gpt-4.1", messages };
const text = JSON.stringify(body);
const chunk = 'data: {"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"Hi"}}]}\n\n';

describe("an input", () => {
  test.each([
    ["a request body", text, "json", ["history"]],
    ["a bare list of messages", JSON.stringify(messages), "json", ["history"]],
    ["a single message", JSON.stringify(messages[1]), "json", ["history"]],
    ["JSON in a Markdown fence", `\`\`\`json\n${text}\n\`\`\``, "json", ["history"]],
    ["JSON after a byte order mark", `\uFEFF${text}`, "json", ["history"]],
    ["a body inside a recording", JSON.stringify({ log: { entries: [{ request: body }] } }), "json", ["history"]],
    ["a body as text inside JSON", JSON.stringify({ postData: { text } }), "json", ["history"]],
    ["bodies, one per line", `${text}\n\n${text}\n`, "json-lines", ["history", "history"]],
    ["messages, one per line", messages.map((each) => JSON.stringify(each)).join("\n"), "json-lines", ["history"]],
    ["a log", `[12:01] POST ${text}\n[12:02] 200 {"ok":true}`, "log", ["history"]],
    ["a log that starts like JSON", `[2026-11-18 12:01] body=${text}`, "log", ["history"]],
    ["a captured stream", chunk, "stream", ["stream"]],
    ["a response that was not streamed", '{"object":"chat.completion","choices":[]}', "json", ["stream"]],
    [
      "lines of a stream",
      '{"message":{"role":"assistant","content":"a"},"done":false}\n{"message":{"role":"assistant","content":""},"done":true}',
      "json-lines",
      ["stream"],
    ],
    ["an error text", samples.errorText.text, "error-text", ["error-text"]],
    [
      "an error as JSON",
      '{"type":"error","error":{"message":"messages.2: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1"}}',
      "json",
      ["error-text"],
    ],
    ["JSON without messages", '{"name":"undangle"}', "json", ["no-messages"]],
    ["truncated JSON", text.slice(0, -10), "broken-json", ["not-json"]],
    ["an object of JavaScript", "{ messages: [] }", "broken-json", ["not-json"]],
    [
      "an error as Python prints it",
      `{'error': {'message': "${samples.errorText.text}"}}`,
      "broken-json",
      ["error-text"],
    ],
    ["lines of which one is broken", `${text}\n{"messages": [\n${text}`, "log", ["history", "history"]],
    ["other text", "Hello.", "text", ["error-text"]],
    ["nothing", " \n", "blank", []],
  ])("that is %s", (_, given, reader, types) => {
    const read = readInput(given);
    expect({ reader: read.reader, types: read.found.map(({ type }) => type) }).toEqual({ reader, types });
  });

  test("names the line and the path of each history", () => {
    const { found } = readInput(`start\n${text}\n{"request":${text}}\nend`);
    expect(found).toMatchObject([
      { line: 2, path: "", value: body },
      { line: 3, path: "request", value: body },
    ]);
  });

  test("that is a log with an error offers both", () => {
    expect(readInput(samples.log.text).found.map(({ type }) => type)).toEqual(["history", "history", "error-text"]);
  });

  test("that is not JSON has a caret under the fault", () => {
    const [found] = readInput('{\n  "model": "gpt-4.1",\n  "messages": [{"role": \'user\'}]\n}').found;
    if (found?.type !== "not-json") throw new Error("It was read as something else.");
    expect(found).toMatchObject({ fault: "single-quotes", line: 3, column: 25 });
    expect(found.excerpt.slice(found.caret)).toBe("'user'}]");
  });

  test("cuts a long line around the caret", () => {
    const [found] = readInput(`{"text": "${"a".repeat(500)}", }${" ".repeat(100)}`).found;
    if (found?.type !== "not-json") throw new Error("It was read as something else.");
    expect(found.excerpt.length).toBeLessThan(100);
    expect(found.excerpt.charAt(found.caret)).toBe("}");
  });
});

test("values are found among other text, and inside broken values", () => {
  const found = [...findValues('a [1] b {"c": {"d": 2} , oops {"e":3} // [4]')];
  expect(found.map(({ value }) => value)).toEqual([[1], { d: 2 }, { e: 3 }, [4]]);
});

test("a long text of open brackets takes linear time", () => {
  const begin = performance.now();
  expect([...findValues("[".repeat(200_000))]).toEqual([]);
  expect(performance.now() - begin).toBeLessThan(5000);
});

test("the search for histories ends in deep and wide values", () => {
  let deep: unknown = body;
  for (let i = 0; i < 100; i++) deep = { deep };
  expect(findHistories(deep)).toEqual([]);
  const wide = Array.from({ length: 200_000 }, (_, i) => ({ i }));
  expect(findHistories({ wide: [...wide, body], body })).toMatchObject([{ path: "body" }]);
});

test("there are at least a dozen samples", () => {
  expect(sampleNames.length).toBeGreaterThanOrEqual(12);
});

test.each(sampleNames)("the sample %s is read", (name) => {
  const types = readInput(samples[name].text).found.map(({ type }) => type);
  expect(types[0]).toBe(name === "stream" ? "stream" : name === "errorText" ? "error-text" : "history");
});
