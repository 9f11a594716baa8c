import { execFileSync } from "node:child_process";

import { expect, test } from "vitest";

import { curlText } from "./curl-text.ts";

const exchange = { source: "recorded", model: "m", format: "anthropic" } as const;

test("a command names the endpoint of the format and no key", () => {
  const text = curlText({ ...exchange, body: { model: "m" } });
  expect(text).toContain("curl 'https://api.anthropic.com/v1/messages'");
  expect(text).toContain('-H "x-api-key: $ANTHROPIC_API_KEY"');
  expect(curlText({ ...exchange, format: "gemini", body: {} })).toContain("/models/m:generateContent'");
});

test("formats without an endpoint have no command", () => {
  expect(curlText({ ...exchange, format: "langchain", body: {} })).toBeUndefined();
});

test("a shell passes the body on unchanged, and runs nothing of it", () => {
  const body = { content: 'it\'s $(id) `id` \\ "quoted"\n\u202E\u{E0041}' };
  const text = curlText({ ...exchange, body }) ?? "";
  expect(text).not.toMatch(/[\u202E\u{E0041}]/u);
  const sent = execFileSync("sh", ["-c", `curl() { for last; do :; done; printf %s "$last"; }\n${text}`]);
  expect(JSON.parse(sent.toString())).toEqual(body);
});
