import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { RuleId } from "#core";
import { rules, UndangleError } from "#core";
import { phrases } from "./error-phrases.ts";
import { catalogueTexts, elsewhere, lastPlace, placeOf, wrappedTexts, wrappers } from "./explain.fixture.ts";
import { explain } from "./explain.ts";
import { reportedErrors } from "./reported-errors.fixture.ts";

const isKnown = (text: string): boolean => explain(text).some(({ confidence }) => confidence !== "nearest");

describe("texts as people paste them", () => {
  test.each(wrappedTexts)("$rule: $text", ({ rule, text }) => {
    const [first] = explain(text);
    expect(first?.rule).toBe(rule);
    expect(first?.confidence).not.toBe("nearest");
  });
});

describe("texts of public reports", () => {
  test.each(reportedErrors)("$rule: $text", ({ rule, text }) => {
    const all = Object.values(wrappers);
    const wrap = all[text.length % all.length]; // each text in one wrapping
    for (const wrapped of [text, wrap?.(text) ?? text]) {
      const [first] = explain(wrapped);
      expect(first?.rule).toBe(rule);
      expect(first?.confidence).not.toBe("nearest");
    }
  });

  test.each([
    ["unanswered-call", "The function call lookup has no tool output anywhere in the request."],
    ["orphan-result", "Tool outputs must belong to a tool call that came before."],
    ["duplicate-result", "Found multiple tool responses for one tool call."],
    ["missing-result-id", "A tool message lacks its tool_call_id."],
    ["arguments-json", "The tool call arguments could not be read as JSON."],
  ] as const)("%s is likely where the wording is not known: %s", (rule, text) => {
    expect(explain(text)[0]).toMatchObject({ rule, confidence: "likely" });
  });
});

describe("texts that can mean several rules", () => {
  test.each<{ readonly text: string; readonly expected: readonly RuleId[] }>([
    {
      text: "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'.",
      expected: ["unanswered-call", "displaced-result", "early-result"],
    },
    {
      text: "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: call_1.",
      expected: ["unanswered-call", "displaced-result", "text-after-call", "result-not-first", "early-result"],
    },
    {
      text: "unexpected `tool_use_id` found in `tool_result` blocks: toolu_1.",
      expected: ["orphan-result", "displaced-result", "early-result", "result-not-first"],
    },
    { text: "400 duplicate tool_call_id", expected: ["duplicate-call-id", "duplicate-result"] },
    { text: "messages.3.content.2: `tool_use` ids must be unique", expected: ["duplicate-call-id", "reused-call-id"] },
    {
      text: "Unexpected role 'user' after role 'tool'",
      expected: ["user-after-result", "role-order", "displaced-result"],
    },
    { text: "messages 参数非法。请检查文档。", expected: ["no-user-message", "empty-message"] },
  ])("$text", ({ text, expected }) => {
    const found = explain(text);
    expect(found.map(({ rule }) => rule)).toEqual(expected);
    expect(found.map(({ confidence }) => confidence)).toEqual(
      expected.map((_, place) => (place === 0 ? "known" : "likely")),
    );
  });

  test("two errors in one text are both known", () => {
    const found = explain(
      "first try: Invalid 'messages[2].tool_calls[0].id': string too long. second try: messages.4: all messages must have non-empty content",
    );
    const known = found.filter(({ confidence }) => confidence === "known").map(({ rule }) => rule);
    expect(known.toSorted()).toEqual(["empty-message", "invalid-call-id"]);
  });

  test("the rules of the format that is named come first", () => {
    const text = "Request contains an invalid argument.";
    expect(explain(text)[0]?.rule).toBe("mismatched-name");
    expect(explain(text, { format: "anthropic" })[0]?.rule).toBe("duplicate-call-id");
    expect(explain(text, { format: "anthropic" }).map(({ rule }) => rule)).toContain("mismatched-name");
  });

  test("a text that says little is likely at best", () => {
    expect(explain("Provider returned error")).toMatchObject([{ rule: "upstream-error", confidence: "likely" }]);
  });
});

describe("every phrase", () => {
  test.each(phrases)("%s: %s", (phrase, rule) => {
    const [first] = explain(phrase.replaceAll("#", "some_name").replaceAll("…", "this and that"));
    expect(first).toMatchObject({ rule, confidence: "known" });
  });
});

describe("every text of the catalogue, in every wrapper", () => {
  test.each(catalogueTexts)("$id in $rule: $text", ({ rule, text }) => {
    const places = Object.values(wrappers).map((wrap) => placeOf(rule, wrap(elsewhere(text, 1042, "9xY_z-Q"))));
    expect(Math.max(...places)).toBeLessThanOrEqual(lastPlace(rule));
  });

  test("is explained with what the catalogue says", () => {
    const [first] = explain("400 No tool output found for function call call_F8pwMPCgihaegOtcP0Sj5VOj.");
    const { title, why, fix } = rules["unanswered-call"];
    const docs = "docs/reference/rules.md#unanswered-call";
    expect(first).toEqual({ rule: "unanswered-call", title, why, fix, docs, confidence: "known" });
  });
});

describe("texts that are about something else", () => {
  test.each([
    "rate limit exceeded",
    "Error code: 429 - {'error': {'message': 'Rate limit reached for gpt-4o in organization org-x on tokens per min (TPM)', 'code': 'rate_limit_exceeded'}}",
    '{"error":{"message":"Provider returned error","code":429,"metadata":{"raw":"model is temporarily rate-limited upstream"}}}',
    '{"error":{"message":"You exceeded your current quota, please check your plan and billing details.","type":"insufficient_quota"}}',
    "This model's maximum context length is 128000 tokens. However, your messages resulted in 130124 tokens.",
    "prompt is too long: 208310 tokens > 200000 maximum",
    "input length and `max_tokens` exceed context limit: 197000 + 8192 > 200000",
    "ValidationException: Input is too long for requested model.",
    "An error occurred (ValidationException) when calling the Converse operation: The provided model identifier is invalid.",
    "Incorrect API key provided: sk-abc. You can find your API key at https://platform.openai.com/account/api-keys.",
    "invalid x-api-key",
    '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}',
    "The model `gpt-9` does not exist or you do not have access to it.",
    "<html><head><title>502 Bad Gateway</title></head><body><center><h1>502 Bad Gateway</h1></center><hr>nginx</body></html>",
    "upstream connect error or disconnect/reset before headers. reset reason: connection timeout",
    "Traceback (most recent call last):\n  File \"a.py\", line 3, in <module>\n    d['tool_calls']\nKeyError: 'tool_calls'",
    "TypeError: Cannot read properties of undefined (reading 'tool_calls')",
    "SyntaxError: Unterminated string in JSON at position 17",
    "Invalid 'messages[0].content': string too long. Expected a string with maximum length 1048576, but got a string with length 2000000 instead.",
    "Invalid 'tools[0].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
    "Invalid schema for function 'search': In context=(), object schema missing properties.",
    "tools.0.custom.name: String should have at most 128 characters",
    "max_tokens: 64000 > 8192, which is the maximum allowed number of output tokens for this model",
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    "Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value is supported.",
    "Missing required parameter: 'model'.",
    "Missing required parameter: 'input[0].image_url'.",
    '{"error":{"message":"Missing required parameter: \'messages[0].content[0].text\'.","type":"invalid_request_error"}}',
    "Invalid value: 'gpt'. Supported values are: 'low', 'medium', and 'high'.",
    "temperature: range: 0..1",
    "Your credit balance is too low to access the Anthropic API.",
    "ECONNREFUSED 127.0.0.1:11434",
    'model "llama3" not found, try pulling it first',
    "Please enter your message and your role to continue.",
    "The tool call finished. The assistant message is ready.",
    "messages",
  ])("not known: %s", (text) => {
    expect(isKnown(text)).toBe(false);
  });

  test("a text that is not known gets the nearest rules, all marked so", () => {
    const found = explain("every tool_call_id of an assistant message wants some response message behind it");
    expect(found.length).toBeGreaterThan(0);
    expect(found.map(({ confidence }) => confidence)).toEqual(found.map(() => "nearest"));
    expect(found[0]?.rule).toBe("unanswered-call");
  });

  test.each(["", "   \n\t", "\u0000", "?!", "lorem ipsum dolor"])("nothing is near %j", (text) => {
    expect(explain(text)).toEqual([]);
  });
});

describe("hostile texts", () => {
  test("an error at the end of a long log is found", () => {
    const log = "2026-01-01 INFO request sent\n".repeat(200_000);
    expect(explain(`${log}400 duplicate tool_call_id`)[0]?.rule).toBe("duplicate-call-id");
    expect(explain(`400 duplicate tool_call_id\n${log}`)[0]?.rule).toBe("duplicate-call-id");
  });

  test.each(["__proto__", "constructor", "toString hasOwnProperty"])("%s is a word like any other", (text) => {
    expect(explain(text)).toEqual([]);
  });
});

describe("options", () => {
  const failure = (run: () => unknown): unknown => {
    try {
      return run();
    } catch (error) {
      return error;
    }
  };

  test("an unknown option is an error that lists the right ones", () => {
    const options = Object.fromEntries([["formt", "anthropic"]]);
    expect(failure(() => explain("x", options))).toMatchObject({
      code: "options/unknown",
      data: { allowed: ["format"] },
    });
  });

  test("an unknown format is an error that lists the right ones", () => {
    const error = failure(() => explain("x", { format: "claude" }));
    expect(error).toBeInstanceOf(UndangleError);
    expect(error).toMatchObject({ code: "format/unsupported", data: { format: "claude" } });
    expect(String(error)).toContain("openai-responses");
  });

  test.each([undefined, null, 7, {}])("%j is not a text", (text) => {
    expect(failure(() => explain(text as string))).toMatchObject({ code: "input/shape" });
  });
});

const corpus = process.env["UNDANGLE_CORPUS"];
describe.skipIf(!corpus)("the corpus (UNDANGLE_CORPUS)", () => {
  const texts = ["broken.jsonl", "recorded.jsonl"]
    .map((name) => join(corpus ?? "", name))
    .filter((path) => existsSync(path))
    .flatMap((path) => readFileSync(path, "utf8").split("\n"))
    .filter((line) => line !== "")
    .map(
      (line) =>
        JSON.parse(line) as { readonly id: string; readonly error?: string; readonly expect: readonly string[] },
    )
    .filter(({ error }) => typeof error === "string");

  test.each(texts)("$id: $error", ({ error = "", expect: ids }) => {
    const covered = explain(error).filter(({ confidence }) => confidence !== "nearest");
    const cases = covered.flatMap(({ rule }) => rules[rule].cases.map(({ id }) => id));
    expect(cases.some((id) => ids.includes(id))).toBe(true);
  });
});
