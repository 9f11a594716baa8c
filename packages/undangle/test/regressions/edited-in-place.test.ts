import { check, repair } from "undangle";
import type { Format } from "undangle";
import { describe, expect, test } from "vitest";

/** One exchange of a format: a question, a call, its result and the reply. */
const exchanges: Readonly<Record<Format, (turn: number) => readonly object[]>> = {
  "openai-chat": (turn) => [
    { role: "user", content: `question ${turn}` },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: `c${turn}`, type: "function", function: { name: "read", arguments: "{}" } }],
    },
    { role: "tool", tool_call_id: `c${turn}`, content: "1" },
    { role: "assistant", content: "done" },
  ],
  "openai-responses": (turn) => [
    { role: "user", content: `question ${turn}` },
    { type: "function_call", call_id: `c${turn}`, name: "read", arguments: "{}" },
    { type: "function_call_output", call_id: `c${turn}`, output: "1" },
    { role: "assistant", content: "done" },
  ],
  anthropic: (turn) => [
    { role: "user", content: `question ${turn}` },
    { role: "assistant", content: [{ type: "tool_use", id: `c${turn}`, name: "read", input: {} }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: `c${turn}`, content: "1" }] },
    { role: "assistant", content: "done" },
  ],
  gemini: (turn) => [
    { role: "user", parts: [{ text: `question ${turn}` }] },
    { role: "model", parts: [{ functionCall: { name: "read", args: {} } }] },
    { role: "user", parts: [{ functionResponse: { name: "read", response: { n: 1 } } }] },
    { role: "model", parts: [{ text: "done" }] },
  ],
  bedrock: (turn) => [
    { role: "user", content: [{ text: `question ${turn}` }] },
    { role: "assistant", content: [{ toolUse: { toolUseId: `c${turn}`, name: "read", input: {} } }] },
    { role: "user", content: [{ toolResult: { toolUseId: `c${turn}`, content: [{ text: "1" }] } }] },
    { role: "assistant", content: [{ text: "done" }] },
  ],
  ollama: (turn) => [
    { role: "user", content: `question ${turn}` },
    { role: "assistant", content: "", tool_calls: [{ function: { name: "read", arguments: {} } }] },
    { role: "tool", tool_name: "read", content: "1" },
    { role: "assistant", content: "done" },
  ],
  "ai-sdk": (turn) => [
    { role: "user", content: `question ${turn}` },
    { role: "assistant", content: [{ type: "tool-call", toolCallId: `c${turn}`, toolName: "read", input: {} }] },
    {
      role: "tool",
      content: [
        { type: "tool-result", toolCallId: `c${turn}`, toolName: "read", output: { type: "text", value: "1" } },
      ],
    },
    { role: "assistant", content: "done" },
  ],
  langchain: (turn) => [
    { type: "human", content: `question ${turn}` },
    { type: "ai", content: "", tool_calls: [{ type: "tool_call", id: `c${turn}`, name: "read", args: {} }] },
    { type: "tool", tool_call_id: `c${turn}`, content: "1" },
    { type: "ai", content: "done" },
  ],
};

describe("a history that was found healthy and then edited in place", () => {
  test.each(Object.keys(exchanges) as Format[])("%s: is checked as it is now", (format) => {
    const list = Array.from({ length: 40 }, (_, turn) => exchanges[format](turn)).flat();
    expect(check(list, { format })).toEqual([]);
    expect(repair(list, { format }).output).toBe(list);

    const [, call = {}, , reply = {}] = list; // the call becomes a reply without calls
    for (const key of Object.keys(call)) Reflect.deleteProperty(call, key);
    Object.assign(call, reply);

    const problems = check(list, { format });
    expect(problems.map(({ rule }) => rule)).toContain("orphan-result");
    expect(problems).toEqual(check(structuredClone(list), { format }));
    expect(repair(list, { format })).toEqual(repair(structuredClone(list), { format }));
  });
});
