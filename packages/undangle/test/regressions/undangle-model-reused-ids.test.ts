import type { ModelMessage } from "ai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { wireServer, type WireServer } from "undangle/testing";
import { check, repair } from "../../src/index.ts";
import { undangleModel } from "../../src/adapters/ai-sdk.ts";
import { type AiProgram, aiPrograms } from "../clients/ai-sdk.ts";

/** Some models count their calls from zero in every turn (`call_0`, `functions.look:0`). */
const step = (toolCallId: string, value: string): ModelMessage[] => [
  { role: "assistant", content: [{ type: "tool-call", toolCallId, toolName: "look", input: { at: value } }] },
  { role: "tool", content: [{ type: "tool-result", toolCallId, toolName: "look", output: { type: "text", value } }] },
];
const user = (text: string): ModelMessage => ({ role: "user", content: [{ type: "text", text }] });
const counted = (id: string): ModelMessage[] => [
  user("a"),
  ...step(id, "one"),
  user("b"),
  ...step(id, "two"),
  ...step(id, "three"),
  user("c"),
];

let server: WireServer;
beforeAll(async () => (server = await wireServer({ turns: () => ({ text: "Done." }) })));
afterAll(() => server.close());

async function ask({ format, modelOf, sdk }: AiProgram, messages: ModelMessage[], { isBare = false } = {}) {
  const rules: string[] = [];
  const bare = modelOf(server.baseUrl(format), globalThis.fetch);
  const middleware = undangleModel({
    logger: false,
    onRepair: ({ edits = [] }) => rules.push(...edits.map(({ rule }) => rule)),
  });
  const { text } = await sdk.generateText({
    model: isBare ? bare : sdk.wrapLanguageModel({ model: bare, middleware }),
    messages,
    maxRetries: 0,
    tools: { look: { inputSchema: sdk.jsonSchema<object>({ type: "object", properties: {} }) } },
  });
  return { text, sent: JSON.stringify(server.requests.at(-1)?.body), rules };
}

const isKeyed = ({ format }: AiProgram): boolean => format === "anthropic" || format === "openai-responses";

test.each(aiPrograms.filter(isKeyed))("$name gives a call whose id was used before one of its own", async (program) => {
  await expect(ask(program, counted("call_0"), { isBare: true })).rejects.toThrow(/unique|Duplicate/u);
  const first = await ask(program, counted("call_0"));
  expect(first.text).toBe("Done.");
  expect(first.rules).toEqual(Array.from({ length: 4 }, () => "reused-call-id"));
  for (const value of ["one", "two", "three"]) expect(first.sent.split(value)).toHaveLength(3);
  expect(await ask(program, counted("call_0"))).toEqual(first);
});

test.each(aiPrograms.filter((program) => !isKeyed(program)))("$name keeps ids that count anew", async (program) => {
  const bare = await ask(program, counted("call_0"), { isBare: true });
  expect(await ask(program, counted("call_0"))).toEqual(bare);
});

const claudes = aiPrograms.filter(({ format }) => format === "anthropic");

test.each(claudes)("$name gives calls ids of the form that Claude takes", async (program) => {
  await expect(ask(program, counted("functions.look:0"), { isBare: true })).rejects.toThrow(/pattern/u);
  expect((await ask(program, counted("functions.look:0"))).text).toBe("Done.");
});

describe("ids that were used in an earlier turn", () => {
  const options = { format: "ai-sdk", model: "anthropic.messages/claude-sonnet-5-5" } as const;

  test("are renamed beside other damage, each result with its call", () => {
    const [lost = user(""), ...rest] = step("call_0", "lost");
    expect(rest).toHaveLength(1);
    const given = [...counted("call_0"), lost, user("d"), ...step("call_0", "last").slice(1), user("e")];
    const { output, problems } = repair(given, options);
    expect(problems).toEqual([]);
    expect(check(output, options)).toEqual([]);
    const ids = output.flatMap(({ role, content }) =>
      role === "assistant" && Array.isArray(content)
        ? content.flatMap((part) => (part.type === "tool-call" ? part.toolCallId : []))
        : [],
    );
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids[0]).toBe("call_0");
    expect(repair(output, options).output).toBe(output);
  });

  test("stay as long as nothing asks for more", () => {
    expect(check(counted("call_0"), { format: "ai-sdk" })).toEqual([]);
    expect(check(counted("call_0"), { format: "ai-sdk", model: "moonshot.chat/kimi-k2" })).toEqual([]);
  });

  test("a healthy history is the same reference for every model", () => {
    const given = [user("a"), ...step("call_1", "one"), user("b"), ...step("call_2", "two")];
    for (const model of [options.model, "openai.responses/gpt-5.1", "minimax.chat/MiniMax-M2"]) {
      expect(repair(given, { format: "ai-sdk", model }).output).toBe(given);
    }
  });
});
