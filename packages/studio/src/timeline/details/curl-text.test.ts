import { execFileSync } from "node:child_process";

import type { ReceivedExchange } from "undangle/client";
import { expect, test } from "vitest";

import { curlCommand, shownText } from "./curl-text.ts";

const exchange = { source: "recorded", model: "anthropic/m", format: "anthropic", body: {}, text: "{}" } as const;
const textOf = (given: Partial<ReceivedExchange>): string => curlCommand({ ...exchange, ...given })?.text ?? "";

/** What a command passes to `curl`: its arguments, and the text of its input. */
function run(command: string, env: Readonly<Record<string, string>> = {}): readonly string[] {
  const script = `curl() { printf '%s\\0' "$@"; cat; }\n${command}`;
  const { PATH = "" } = process.env;
  const options = { input: script, env: { PATH, ...env }, maxBuffer: 10_000_000 };
  return execFileSync("bash", ["-s"], options).toString().split("\0");
}

test("a command sends the request where the model is, with keys from variables", () => {
  const target = {
    url: "http://127.0.0.1:8000/v1/o'clock",
    headers: { authorization: "Bearer $API_KEY", "x-team": 'blue! $HOME `id` "x"' },
    variables: ["API_KEY"],
  };
  const command = curlCommand({ ...exchange, text: '{"a": 12345678901234567890}', target });
  expect(command?.variables).toEqual(["API_KEY"]);
  expect(run(command?.text ?? "", { API_KEY: "k 1" })).toEqual([
    "http://127.0.0.1:8000/v1/o'clock",
    "-H",
    "content-type: application/json",
    "-H",
    "authorization: Bearer k 1",
    "-H",
    'x-team: blue! $HOME `id` "x"',
    "--data-binary",
    "@-",
    '{"a": 12345678901234567890}\n',
  ]);
});

test.each([
  ["openai-chat", "https://api.openai.com/v1/chat/completions", "OPENAI_BASE_URL", "http://a/chat/completions"],
  ["openai-responses", "https://api.openai.com/v1/responses", "OPENAI_BASE_URL", "http://a/responses"],
  ["anthropic", "https://api.anthropic.com/v1/messages", "ANTHROPIC_BASE_URL", "http://a/v1/messages"],
  [
    "gemini",
    "https://generativelanguage.googleapis.com/v1beta/models/m:generateContent",
    "GEMINI_BASE_URL",
    "http://a/v1beta/models/m:generateContent",
  ],
  ["ollama", "http://127.0.0.1:11434/api/chat", "OLLAMA_BASE_URL", "http://a/api/chat"],
])("without a known address, %s is sent to its provider or to a server of a variable", (format, url, name, other) => {
  expect(run(textOf({ format }))[0]).toBe(url);
  expect(run(textOf({ format }), { [name]: "http://a" })[0]).toBe(other);
});

test("formats without an endpoint and bodies that were cut off have no command", () => {
  expect(curlCommand({ ...exchange, format: "langchain" })).toBeUndefined();
  expect(curlCommand({ ...exchange, body: '{"messages": [' })).toBeUndefined();
});

test("a shell passes the body on unchanged, and runs nothing of it", () => {
  const body = { content: 'it\'s $(id) `id` \\ "quoted"!!\n\u202E\u{E0041}\nJSON\n天气', long: "x".repeat(300_000) };
  const text = textOf({ body, text: JSON.stringify(body) });
  expect(text).not.toMatch(/[\u202E\u{E0041}]/u);
  expect(JSON.parse(run(text).at(-1) ?? "")).toEqual(body);
});

test("a request that was written again is indented, and a recorded one is as it was sent", () => {
  const given = { ...exchange, body: { a: 1 }, text: '{"a":1.0}' };
  expect(shownText({ ...given, source: "reconstructed" })).toBe('{\n  "a": 1\n}');
  expect(shownText(given)).toBe('{"a":1.0}');
});
