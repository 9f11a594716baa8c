/** What is written for an SDK is what that SDK takes. */
import {
  AIMessage,
  coerceMessageLikeToMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
} from "@langchain/core/messages";
import type { BaseMessageLike } from "@langchain/core/messages";
import { modelMessageSchema as schemaOf7 } from "ai";
import { modelMessageSchema as schemaOf6 } from "ai-6";
import { convert } from "undangle";
import { describe, expect, test } from "vitest";
import { generate } from "../judge/generate.ts";
import { listOf, recordOf } from "../../src/testing/judge/loose.ts";
import { formats } from "../judge/subjects.ts";

const seeds = Array.from({ length: 15 }, (_, seed) => seed);
const messagesIn = (output: unknown): readonly unknown[] => listOf(recordOf(output)["messages"]);

describe.each(formats.filter((format) => format !== "ai-sdk"))("from %s", (from) => {
  test("the AI SDK takes every ModelMessage, in 6 and in 7", () => {
    for (const seed of seeds) {
      for (const message of messagesIn(convert(generate(from, seed, 3), { from, to: "ai-sdk" }).output)) {
        expect(schemaOf6.safeParse(message).error).toBeUndefined();
        expect(schemaOf7.safeParse(message).error).toBeUndefined();
      }
    }
  });
});

describe.each(formats.filter((format) => format !== "langchain"))("from %s", (from) => {
  test("LangChain takes every message, with all its calls", () => {
    for (const seed of seeds) {
      for (const message of messagesIn(convert(generate(from, seed, 3), { from, to: "langchain" }).output)) {
        const made = coerceMessageLikeToMessage(message as BaseMessageLike); // what is to be shown
        const calls = listOf(recordOf(message)["tool_calls"]);
        expect(AIMessage.isInstance(made) ? made.tool_calls : []).toHaveLength(calls.length);
      }
    }
  });
});

test("instances of LangChain are read by their structure", () => {
  const messages = [
    new SystemMessage("Be brief."),
    new HumanMessage("Go."),
    new AIMessage({ content: "Yes.", tool_calls: [{ id: "call_1", name: "run", args: { a: 1 } }] }),
    new ToolMessage({ content: "done", tool_call_id: "call_1" }),
  ];
  expect(convert(messages, { to: "openai-chat" })).toMatchObject({
    from: "langchain",
    losses: [],
    output: [
      { role: "system", content: "Be brief." },
      { role: "user", content: "Go." },
      {
        role: "assistant",
        content: "Yes.",
        tool_calls: [{ id: "call_1", type: "function", function: { name: "run", arguments: '{"a":1}' } }],
      },
      { role: "tool", tool_call_id: "call_1", content: "done" },
    ],
  });
});
