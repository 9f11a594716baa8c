import { repair } from "undangle";
import { expect, test } from "vitest";

const H = { role: "user", content: "go" };
const call = (id: string, n = 0) => ({ id, type: "function", function: { name: "f", arguments: `{"n":${n}}` } });
const leave = { danglingAtEnd: "leave" } as const;

test("llama.cpp: an open call is not merged away", () => {
  const history = [
    H,
    { role: "assistant", content: "hm" },
    { role: "assistant", content: "", tool_calls: [call("a")] },
  ];
  const { output, problems } = repair(history, { provider: "llamacpp", ...leave });
  expect(output).toBe(history);
  expect(problems).toMatchObject([{ rule: "unanswered-call", callId: "a" }]);
});

test("vLLM: open parallel calls are not split, and get no empty results", () => {
  const history = [H, { role: "assistant", content: "", tool_calls: [call("a"), call("b")] }];
  const { output, problems } = repair(history, { provider: "vllm", model: "llama-3.1-8b", ...leave });
  expect(output).toBe(history);
  expect(problems).toHaveLength(2);
});

test("orphans in an open block go before it, so that it stays the last", () => {
  const history = [
    { role: "assistant", content: null, tool_calls: [call("x", 1), call("y", 2)] },
    { role: "tool", tool_call_id: "foreign", content: "r" },
  ];
  const { output } = repair(history, { format: "openai-chat", ...leave });
  expect(output.at(-1)).toBe(history[0]);
  expect(repair(output, { format: "openai-chat", ...leave }).output).toBe(output);
});
