import { assemble, check, contextOverflow, convert, detect, estimateTokens, explain, repair } from "undangle";

import { chunk, done, events } from "../clients/passed-through.ts";
import { freeTag } from "../../src/middleware/free-tag.ts";

/** What readers of JSON, of markup, of events and of errors look for. */
const units = [
  ...Array.from(" \n\t\r{}[]\"'`\\<>(),:;=|#/*-+._0aA汉"),
  "{}",
  '""',
  '{"a":',
  '{"a":1}',
  '{"name":"f","arguments":{}}',
  '{"name":"f","arguments":',
  '\\"',
  "\\\\",
  "\\u",
  "1e",
  "0.",
  "//",
  "/*",
  "null",
  "a ",
  " a",
  "a\n",
  ", ",
  "```",
  "```json\n",
  "<tool_call>",
  "</tool_call>",
  '<tool_call>{"name":"f","arguments":',
  "<tool_call>f<arg_key>a</arg_key>",
  "<function=f>",
  "<parameter=a>",
  '<invoke name="f">',
  '<parameter name="a">',
  '<function_calls><invoke name="f">',
  "<｜tool▁calls▁begin｜>",
  "<｜tool▁call▁begin｜>function<｜tool▁sep｜>",
  "<|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>",
  "<|channel|>commentary to=functions.f ",
  "<|channel|>commentary to=functions.f <|message|>{",
  "<|start|>assistant",
  "[TOOL_CALLS]",
  "[TOOL_CALLS]f[ARGS]",
  '[{"name":"f"},',
  "f(a=",
  "to=",
  "functions.f:0",
  "<think>",
  "data: ",
  "event: x\n",
  "messages.0.content ",
  "tool_call_id call_1 ",
  "tool_use ids were found without tool_result blocks: toolu_1, ",
  "error ",
  "messages ",
  "invalid type for messages 0 content ",
  "supported values are ",
  "&amp;",
  "amp;",
  "<a ",
  "│\n",
  "\u001B[",
  "\uD800",
  "\u0000",
] as const;

/** Texts of about a size. */
export const hostileTexts: readonly ((size: number) => string)[] = units.flatMap((unit) =>
  [(text: string) => text, (text: string) => `{"a":${text}`, (text: string) => `<tool_call>${text}x`].map(
    (around) => (size: number) => around(unit.repeat(Math.ceil(size / unit.length))),
  ),
);

const tools = [{ name: "f", parameters: { type: "object", properties: { a: { type: "string" } } } }];
const user = { role: "user", content: "hi" };
const called = (given: string) => ({ id: "c", type: "function", function: { name: "f", arguments: given } });
const withCall = (given: string) => [user, { role: "assistant", content: null, tool_calls: [called(given)] }];

/** What reads a text that a model, a provider or a client has written. */
export const textReaders: Readonly<Record<string, (text: string) => unknown>> = {
  "an error text, in explain": (text) => explain(text),
  "an error text, in contextOverflow": (text) => contextOverflow(text),
  "a text, in estimateTokens": (text) => estimateTokens(text),
  "memory, in freeTag": (text) => freeTag("agent_memory", text),
  "a stream, in assemble": (text) => assemble([text], { format: "openai-chat" }).turn(),
  "text with leaked calls": (text) =>
    assemble([events(chunk({ role: "assistant", content: text })), events(chunk({}, "stop")), done], {
      format: "openai-chat",
      recoverLeaked: true,
      tools,
    }).turn(),
  "arguments of a stream": (text) =>
    assemble([events(chunk({ tool_calls: [{ index: 0, ...called(text) }] })), events(chunk({}, "tool_calls")), done], {
      format: "openai-chat",
      lenientArguments: true,
      tools,
    }).turn(),
  "a history": (text) => {
    const history = [...withCall(text), { role: "tool", tool_call_id: "c", content: text }];
    detect(history);
    check(history, { format: "openai-chat" });
    repair(history, { format: "openai-chat" });
    for (const to of ["anthropic", "gemini", "openai-responses", "ollama", "bedrock"] as const)
      convert(history, { from: "openai-chat", to });
  },
  "a history with the text as name and id": (text) => {
    const history = [
      user,
      { role: "assistant", tool_calls: [{ ...called("{}"), id: text }] },
      { role: "tool", name: text },
    ];
    repair(history, { format: "openai-chat" });
    for (const to of ["anthropic", "gemini"] as const) convert(history, { from: "openai-chat", to });
  },
};
