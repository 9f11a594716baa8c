import { assemble, check, convert, detect, explain, renderNotice, repair, UndangleError } from "undangle";
import type { Format } from "undangle";
import { describe, expect, test } from "vitest";

import { chunk, done, passedThrough, responseOf } from "../clients/passed-through.ts";
import { requests } from "../growth/requests.ts";

/** Deeper than the stack of JavaScript. */
const depth = 30_000;
const deepText = `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
let deep: unknown = 1;
for (let i = 0; i < depth; i++) deep = { a: deep };

const user = { role: "user", content: "hi" };
const histories: readonly (readonly [string, Format, readonly unknown[]])[] = [
  [
    "arguments as text",
    "openai-chat",
    [
      user,
      { role: "assistant", tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: deepText } }] },
    ],
  ],
  [
    "content, arguments and an unknown key",
    "openai-chat",
    [
      { role: "user", content: deep },
      { role: "assistant", tool_calls: [{ id: "c", function: { name: "f", arguments: deep } }], x: deep },
    ],
  ],
  [
    "input and result",
    "anthropic",
    [
      user,
      { role: "assistant", content: [{ type: "tool_use", id: "c", name: "f", input: deep }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "d", content: deep }] },
    ],
  ],
  [
    "args and response",
    "gemini",
    [
      { role: "model", parts: [{ functionCall: { name: "f", args: deep } }] },
      { role: "user", parts: [{ functionResponse: { name: "g", response: deep } }] },
    ],
  ],
  ["input", "bedrock", [{ role: "assistant", content: [{ toolUse: { toolUseId: "c", name: "f", input: deep } }] }]],
  [
    "arguments",
    "ollama",
    [user, { role: "assistant", content: "", tool_calls: [{ function: { name: "f", arguments: deep } }] }, user],
  ],
  [
    "arguments and output",
    "openai-responses",
    [
      { type: "function_call", call_id: "c", name: "f", arguments: deepText },
      { type: "function_call_output", call_id: "d", output: deep },
    ],
  ],
  [
    "input",
    "ai-sdk",
    [user, { role: "assistant", content: [{ type: "tool-call", toolCallId: "c", toolName: "f", input: deep }] }],
  ],
  [
    "args",
    "langchain",
    [
      { type: "human", content: "x" },
      { type: "ai", content: "", tool_calls: [{ id: "c", name: "f", args: deep }] },
    ],
  ],
];

describe("A history with deeply nested", () => {
  test.each(histories)("%s (%s) is read, or refused with an error of its own", (_, format, history) => {
    const work: readonly (() => unknown)[] = [
      () => detect(history),
      () => check(history, { format }),
      () => check({ model: "m", messages: history, tools: [deep] }, { format }),
      () => repair(history, { format }),
      () => convert(history, { from: format, to: format === "anthropic" ? "gemini" : "anthropic" }),
      () => convert(history, { from: format, to: "openai-chat" }),
    ];
    for (const run of work) expect(refusalOf(run)).toBeOneOf([undefined, UndangleError]);
  });

  test("lists is refused, and other texts and values pass", () => {
    let list: unknown = [];
    for (let i = 0; i < depth; i++) list = [list];
    for (const run of [
      () => repair(list as unknown[]),
      () => check(list, { format: "openai-chat" }),
      () => explain(deepText),
      () => renderNotice({ id: "c", name: "f" }, "malformed"),
    ])
      expect(refusalOf(run)).toBeOneOf([undefined, UndangleError]);
  });
});

function refusalOf(run: () => unknown): unknown {
  try {
    run();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.constructor : error;
  }
}

/** Written with a deeply nested value wherever this stands. */
const here = "here";
const json = (value: unknown): string => JSON.stringify(value).replaceAll(`"${here}"`, deepText);
const sse = (...given: readonly (Readonly<Record<string, unknown>> | string)[]): string =>
  given.map((each) => (typeof each === "string" ? each : `${nameOf(each)}data: ${json(each)}\n\n`)).join("");
const nameOf = ({ type }: Readonly<Record<string, unknown>>): string =>
  typeof type === "string" ? `event: ${type}\n` : "";
const lines = (...given: readonly object[]): string => given.map((each) => `${json(each)}\n`).join("");
const part = (delta: object, finish: string | null = null, more: object = {}) => ({ ...chunk(delta, finish), ...more });
const called = (args: unknown, more: object = {}) => ({
  tool_calls: [{ index: 0, id: "c", type: "function", function: { name: "f", arguments: args }, ...more }],
});
const start = (usage: unknown) => ({
  type: "message_start",
  message: { id: "m", type: "message", role: "assistant", model: "c", content: [], usage },
});
const stop = [
  { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 1 } },
  { type: "message_stop" },
];
const item = (args: unknown, more: object = {}) => ({
  type: "function_call",
  id: "fc",
  call_id: "c",
  name: "f",
  arguments: args,
  status: "completed",
  ...more,
});
const shown = (first: object, last: object) => [
  { type: "response.created", response: responseOf("in_progress") },
  { type: "response.output_item.added", output_index: 0, item: first },
  { type: "response.output_item.done", output_index: 0, item: last },
  { type: "response.completed", response: { ...responseOf("completed"), output: [last] } },
];

const streams: readonly (readonly [string, keyof typeof requests, string])[] = [
  [
    "unknown key",
    "openai-chat",
    sse(part({ role: "assistant", content: "a" }, null, { x: here }), part({ content: "b" }), part({}, "stop"), done),
  ],
  ["key of a delta", "openai-chat", sse(part({ role: "assistant", content: "a", x: here }), part({}, "stop"), done)],
  ["content", "openai-chat", sse(part({ role: "assistant", content: here }), part({}, "stop"), done)],
  ["arguments", "openai-chat", sse(part({ role: "assistant", ...called(here) }), part({}, "tool_calls"), done)],
  [
    "arguments as text",
    "openai-chat",
    sse(part({ role: "assistant", ...called(deepText) }), part({}, "tool_calls"), done),
  ],
  [
    "key of a call without an id",
    "openai-chat",
    sse(part({ role: "assistant", ...called("{}", { id: null, x: here }) }), part({}, "tool_calls"), done),
  ],
  [
    "key of the last chunk",
    "openai-chat",
    sse(part({ role: "assistant", ...called("{}") }), part({}, "stop", { x: here }), done),
  ],
  [
    "event of another format",
    "openai-chat",
    sse({ x: here }, part({ role: "assistant", content: "a" }), part({}, "stop"), done),
  ],
  ["error", "openai-chat", sse({ error: { message: "x", x: here } })],
  [
    "input",
    "anthropic",
    sse(
      start({ input_tokens: 1 }),
      { type: "content_block_start", index: 0, content_block: { type: "tool_use", id: "t", name: "f", input: here } },
      { type: "content_block_stop", index: 0 },
      ...stop,
    ),
  ],
  ["usage", "anthropic", sse(start(here), ...stop)],
  ["key of an item", "openai-responses", sse(...shown(item("", { x: here }), item("{}", { x: here })))],
  ["arguments", "openai-responses", sse(...shown(item(""), item(here)))],
  [
    "args",
    "gemini",
    sse({
      candidates: [
        {
          index: 0,
          content: { role: "model", parts: [{ functionCall: { name: "f", args: here } }] },
          finishReason: "STOP",
        },
      ],
    }),
  ],
  [
    "key of a part",
    "gemini",
    sse({
      candidates: [{ index: 0, content: { role: "model", parts: [{ text: "a", x: here }] }, finishReason: "STOP" }],
    }),
  ],
  [
    "arguments",
    "ollama",
    lines(
      {
        model: "m",
        message: { role: "assistant", content: "", tool_calls: [{ function: { name: "f", arguments: here } }] },
        done: false,
      },
      { model: "m", message: { role: "assistant", content: "" }, done: true, done_reason: "stop" },
    ),
  ],
];

const tooDeep = "Error: Cannot repair the response: it is nested too deeply";

/** Nothing that a client reads is deep. */
const isBeside = /^(?:unknown key|key of a (?:delta|part)|event of another format)$/u;

describe("A stream with a deeply nested", () => {
  test.each(streams)("%s (%s) passes as it came, or ends in an error that says why", async (what, format, body) => {
    for (const mode of ["repair", "warn"] as const)
      for (const toolCalls of ["hold", "stream"] as const)
        for (const size of [Infinity, 10_000]) {
          const { text, error } = await passedThrough({
            ...requests[format],
            body,
            size,
            toolCalls,
            options: { mode },
          });
          const outcome = error ?? (text === body ? "passed" : "repaired");
          const isRead = mode === "repair" && !isBeside.test(what);
          expect(outcome).toBeOneOf(["passed", tooDeep, ...(isRead ? ["repaired"] : [])]);
        }
  });

  test.each(streams)("%s (%s) is assembled", async (what, format, body) => {
    const turn = await assemble([body], { format, lenientArguments: true, tools: [{ name: "f" }] }).turn();
    expect(String(turn.error?.message)).not.toMatch(/call stack/u);
    for (const call of turn.calls.filter(() => /^(?:arguments|input|args)/u.test(what)))
      expect(call.state === "ready" && Object.keys(call.arguments ?? {}).length === 0).toBe(false);
  });
});
