import { explain } from "undangle";
import { describe, expect, test } from "vitest";

import { findValues } from "../../src/doctor/input/find-values.ts";
import { readInput } from "../../src/doctor/input/input-readers.ts";
import { searchValue } from "../../src/doctor/input/search-value.ts";
import { sampleNames, samples } from "../../src/doctor/samples.ts";

const messages = [
  { role: "user", content: "Weather?" },
  { role: "assistant", tool_calls: [{ id: "call_1", type: "function", function: { name: "look", arguments: "{}" } }] },
];
const body = { model: "gpt-4.1", messages };
const text = JSON.stringify(body);
const python = `{'messages': [{'role': 'user', 'content': "What's up?", 'name': None}, Message(role='assistant', content='It\\'s \\x41')]}`;
const javaScript = "{ messages: [{ role: 'user', content: 'It\\'s me', name: undefined }] }";
const recording = { log: { entries: [{ request: { url: "https://api.mistral.ai/v1/chat", postData: { text } } }] } };
const session = `{"type":"summary"}\n{"type":"user","sessionId":"a","parentUuid":null,"message":${JSON.stringify(messages[0])}}`;
const anthropicStart =
  'event: message_start\ndata: {"type":"message_start","message":{"role":"assistant","content":[]}}\n\n';
const chunks = ["Hello", " you"].map(
  (content) => `{"id":"a","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"${content}"}}]}`,
);
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
    ["an object that a console has shortened", "{ messages: [ [Object] ] }", "broken-json", ["not-json"]],
    ["a body that a log has cut off", `DEBUG body=${text.slice(0, -10)}`, "broken-value", ["not-json"]],
    ["a value of Python", python, "source", ["history"]],
    ["a value of Python in a log", `DEBUG:openai:Request options: ${python}`, "log", ["history"]],
    ["an object of JavaScript", javaScript, "source", ["history"]],
    ["a program", `const body = ${javaScript};`, "log", ["history"]],
    [
      "JSON with trailing commas and comments",
      `{"messages": [${JSON.stringify(messages[0])},], // all\n}`,
      "source",
      ["history"],
    ],
    [
      "messages without brackets",
      `${messages.map((each) => JSON.stringify(each)).join(",\n")},`,
      "fragment",
      ["history"],
    ],
    ["a member of a body", `"messages": ${JSON.stringify(messages)},`, "fragment", ["history"]],
    ["JSON as text", JSON.stringify(JSON.stringify(text)), "json-text", ["history"]],
    ["JSON with escaped quotes", `level=debug body=${JSON.stringify(text)}`, "escaped", ["history"]],
    ["a quoted mail", JSON.stringify(body, undefined, 2).replaceAll(/^/gmu, "> "), "margin", ["history"]],
    [
      "the log of a container",
      JSON.stringify(body, undefined, 2).replaceAll(/^/gmu, "app-1  | "),
      "margin",
      ["history"],
    ],
    ["a recording of a browser", JSON.stringify(recording), "json", ["history"]],
    ["an error as Python prints it", `{'error': {'message': "${samples.errorText.text}"}}`, "source", ["error-text"]],
    [
      "lines of which one is broken",
      `${text}\n{"messages": [\n${text}`,
      "json-lines",
      ["history", "history", "not-json"],
    ],
    ["chunks of a stream, one per line", chunks.join("\n"), "json-lines", ["stream"]],
    ["chunks of a stream in a log", chunks.map((each) => `DEBUG chunk=${each}`).join("\n"), "log", ["stream"]],
    ["a list of chunks", `[${chunks.join()}]`, "json", ["stream"]],
    ["a stream with times", chunks.map((each) => `10:04:12.120 data: ${each}`).join("\n"), "stream", ["stream"]],
    [
      "two streams and their requests",
      `POST ${text}\n${chunk}POST ${text}\n${chunk.replace("{", '{"id":"b",')}`,
      "stream",
      ["stream", "history", "history"],
    ],
    ["two streams of Anthropic", anthropicStart.repeat(2), "stream", ["stream", "stream"]],
    [
      "a response with a call",
      JSON.stringify({ object: "chat.completion", choices: [{ index: 0, message: messages[1] }] }),
      "json",
      ["stream"],
    ],
    [
      "a response of Anthropic",
      '{"type":"message","role":"assistant","content":[],"stop_reason":"end_turn"}',
      "json",
      ["stream"],
    ],
    ["an error of which nothing is known", '{"error":{"message":"The flux is low."}}', "json", ["error-text"]],
    ["a list of tools", '[{"type":"function","function":{"name":"look"}}]', "json", ["no-messages"]],
    ["a session of Claude Code", session, "session", ["session"]],
    [
      "a session of Codex",
      '{"type":"session_meta","payload":{"id":"a"}}\n{"type":"response_item"}',
      "session",
      ["session"],
    ],
    ["an exported thread", '{\n  "undangle": 1, "id": "bills", "entries": []}', "exported", ["exported"]],
    ["an export of opencode", '{\n"info": {"id":"ses_1"}, "messages": []}', "session", ["session"]],
    ["other text", "Hello.", "text", ["error-text"]],
    ["nothing", " \n", "blank", ["unreadable"]],
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

  test.each([
    [
      "as in a terminal",
      (json: string) => `curl https://api.mistral.ai/v1 -H 'a: b' \\\n  -d '${json.replaceAll("'", "'\\''")}'`,
    ],
    [
      "of Chrome",
      (json: string) =>
        `curl 'https://api.mistral.ai/v1' --data-raw $'${json.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`,
    ],
    [
      "in double quotes",
      (json: string) => `$ curl "https://api.mistral.ai/v1" --json "${json.replaceAll(/["\\]/gu, "\\$&")}" | jq .`,
    ],
    [
      "of Chrome on Windows",
      (json: string) =>
        `curl ^"https://api.mistral.ai/v1^" ^\n  --data-raw ^"${json.replaceAll(/["\\]/gu, "\\$&").replaceAll(/["{}[\]]/gu, "^$&")}^"`,
    ],
  ])("that is a command for curl %s", (_, command) => {
    const sent = { ...body, messages: [{ role: "user", content: 'It\'s "100 %"\nof [it]' }, ...messages] };
    expect(readInput(command(JSON.stringify(sent)))).toMatchObject({
      reader: "curl",
      found: [{ type: "history", value: sent, url: "https://api.mistral.ai/v1" }],
    });
  });

  test("that is a broken value offers none of its parts", () => {
    const long = { ...body, messages: [...messages, { role: "user", content: [{ type: "text", text: "Go on." }] }] };
    const broken = JSON.stringify(long).replace('"model":', '"model"');
    expect(readInput(broken).found).toMatchObject([{ type: "not-json", fault: "colon" }]);
    expect(readInput(`POST ${broken}`).found).toMatchObject([{ type: "history", value: long.messages }]);
    const inside = JSON.stringify(long).replace('"role":', '"role"');
    expect(readInput(`POST ${inside}`).found).toMatchObject([{ type: "not-json", fault: "colon" }]);
  });

  test("that is no JSON but can be read has the place of its first fault", () => {
    const [found] = readInput(`request:\n  ${python}`).found;
    expect(found).toMatchObject({ type: "history", fault: { fault: "single-quotes", line: 2, column: 4 } });
    expect(found).not.toHaveProperty("written");
    expect(found).toHaveProperty("value.messages", [
      { role: "user", content: "What's up?", name: null },
      { role: "assistant", content: "It's A" },
    ]);
  });

  test("with printed messages of LangChain has their types", () => {
    const [found] = readInput("[HumanMessage(content='Hi'), AIMessage(content='Hello')]").found;
    expect(found).toHaveProperty("value", [
      { type: "human", content: "Hi" },
      { type: "ai", content: "Hello" },
    ]);
  });

  test("names the address before a history, or the host of its request", () => {
    const { found } = readInput(
      `POST https://api.deepseek.com/chat ${text}\nPOST /v1 HTTP/1.1\nHost: api.mistral.ai\n\n${text}`,
    );
    expect(found).toMatchObject([{ url: "https://api.deepseek.com/chat" }, { url: "https://api.mistral.ai/" }]);
    expect(readInput(JSON.stringify(recording)).found).toMatchObject([{ url: "https://api.mistral.ai/v1/chat" }]);
  });

  test("with a long log has the error at its end", () => {
    const [found] = readInput(`${"2026-11-18 INFO nothing\n".repeat(20_000)}${samples.errorText.text}`).found;
    expect(found?.type === "error-text" && explain(found.text)[0]?.rule).toBe("unanswered-call");
  });

  test("that is not JSON has a caret under the fault", () => {
    const [found] = readInput('{\n  "model": "gpt-4.1",\n  "messages": [{"role" "user"}]\n}').found;
    if (found?.type !== "not-json") throw new Error("It was read as something else.");
    expect(found).toMatchObject({ fault: "colon", line: 3, column: 24 });
    expect(found.excerpt.slice(found.caret)).toBe('"user"}]');
  });

  test("cuts a long line around the caret", () => {
    const [found] = readInput(`{"text": "${"a".repeat(500)}" }} ${" ".repeat(100)}`.replace("}}", "1}")).found;
    if (found?.type !== "not-json") throw new Error("It was read as something else.");
    expect(found.excerpt.length).toBeLessThan(100);
    expect(found.excerpt.charAt(found.caret)).toBe("1");
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
  expect(searchValue(deep).histories).toEqual([]);
  const wide = Array.from({ length: 200_000 }, (_, i) => ({ i }));
  expect(searchValue({ wide: [...wide, body], body }).histories).toMatchObject([{ path: "body" }]);
});

test("there are at least a dozen samples", () => {
  expect(sampleNames.length).toBeGreaterThanOrEqual(12);
});

test.each(sampleNames)("the sample %s is read", (name) => {
  const types = readInput(samples[name].text).found.map(({ type }) => type);
  expect(types[0]).toBe(name === "stream" ? "stream" : name === "errorText" ? "error-text" : "history");
});
