import { generateText, wrapLanguageModel, type LanguageModelMiddleware, type ModelMessage } from "ai";
import {
  wrapLanguageModel as wrapLanguageModel6,
  type LanguageModelMiddleware as LanguageModelMiddleware6,
} from "ai-6";
import { MockLanguageModelV3 } from "ai-6/test";
import { MockLanguageModelV4 } from "ai/test";
import { describe, expect, test } from "vitest";
import { undangleModel } from "../../src/adapters/ai-sdk.ts";
import { usage } from "./model-turns.ts";

const user = (text: string) => ({ role: "user" as const, content: [{ type: "text" as const, text }] });
const toolCall = (toolCallId: string) => ({ type: "tool-call" as const, toolCallId, toolName: "search", input: {} });
const assistant = (...content: ReturnType<typeof toolCall>[]) => ({ role: "assistant" as const, content });
const result = (toolCallId: string, value: string) => ({
  type: "tool-result" as const,
  toolCallId,
  toolName: "search",
  output: { type: "text" as const, value },
});
const tool = (...content: ReturnType<typeof result>[]) => ({ role: "tool" as const, content });

const answer = {
  content: [{ type: "text" as const, text: "Done." }],
  finishReason: { unified: "stop" as const, raw: "stop" },
  usage,
  warnings: [],
};

describe("a prompt", () => {
  const params = async (prompt: { readonly role: string }[], options: Parameters<typeof undangleModel>[0] = {}) =>
    (await undangleModel({ logger: false, ...options }).transformParams({ params: { prompt, temperature: 0 } })).prompt;

  test.each([
    { name: "a call without a result", prompt: [user("Go."), assistant(toolCall("c1")), user("Well?")] },
    { name: "a call without a result at the end", prompt: [user("Go."), assistant(toolCall("c1"))] },
    { name: "a result without a call", prompt: [user("Go."), tool(result("c1", "found")), user("Well?")] },
    {
      name: "two results",
      prompt: [user("Go."), assistant(toolCall("c1")), tool(result("c1", "1"), result("c1", "2"))],
    },
  ])("with $name reaches a model of either version, and mended with the middleware", async ({ prompt }) => {
    const model6 = new MockLanguageModelV3({ doGenerate: answer });
    const model7 = new MockLanguageModelV4({ doGenerate: answer });
    const edits: string[] = [];
    const middleware = undangleModel({
      logger: false,
      onRepair: (repair) => edits.push(...(repair.edits ?? []).map(({ rule }) => rule)),
    });
    await wrapLanguageModel6({ model: model6, middleware }).doGenerate({ prompt });
    await wrapLanguageModel({ model: model7, middleware }).doGenerate({ prompt });
    const [first, second] = [model6.doGenerateCalls[0]?.prompt, model7.doGenerateCalls[0]?.prompt];
    expect(first).toEqual(second);
    expect(first).not.toEqual(prompt);
    expect(await params(first ?? [])).toBe(first);
    expect(edits).toHaveLength(2);
  });

  test("that generateText lets through is mended on the way to the model", async () => {
    const model = new MockLanguageModelV4({ doGenerate: answer });
    const messages: ModelMessage[] = [user("Go."), tool(result("c1", "found")), user("Well?")];
    await generateText({ model, messages });
    await generateText({ model: wrapLanguageModel({ model, middleware: undangleModel({ logger: false }) }), messages });
    const roles = model.doGenerateCalls.map(({ prompt }) => prompt.map(({ role }) => role).join());
    expect(roles).toEqual(["user,tool,user", "user,assistant,tool,user"]);
  });

  test("that is healthy is the same reference, and so are its params", async () => {
    const given = { prompt: [user("Go."), assistant(toolCall("c1")), tool(result("c1", "found"))], temperature: 0 };
    expect(await undangleModel().transformParams({ params: given })).toBe(given);
  });

  test("keeps decisions for the provider, whose requests models are not shown", async () => {
    const asked = { ...toolCall("m1"), providerExecuted: true };
    const decided = { role: "tool", content: [{ type: "tool-approval-response", approvalId: "a1", approved: true }] };
    const prompt = [user("Go."), assistant(asked), decided];
    expect(await params(prompt)).toBe(prompt);
    const open = await params([user("Go."), assistant(asked, toolCall("c1")), decided]);
    expect(JSON.stringify(open)).toContain("tool-approval-response");
    expect(JSON.stringify(open)).toContain("Tool call search with id c1");
  });

  test("has lists of parts that models know, also where a result is quoted", async () => {
    const image = { type: "image-url", url: "https://example.org/a.png" };
    const output = { type: "content", value: [{ type: "text", text: "Look:" }, image] };
    const orphans = [tool(result("c1", "found")), { role: "tool", content: [{ ...result("c2", ""), output }] }];
    const quoted = await params([user("Go."), ...orphans, user("Well?")], { orphans: "quote" });
    expect(quoted.map(({ role }) => role)).toEqual(["user", "user", "user", "user"]);
    const contents: unknown[] = quoted.map((message) => ("content" in message ? message.content : undefined));
    expect(contents[1]).toMatchObject([{ type: "text" }]);
    expect(contents[2]).toMatchObject([
      { type: "text" },
      { type: "file", mediaType: "image/*", data: new URL(image.url) },
    ]);
  });
});

test("both versions take it as one of their middlewares, alone and among others", () => {
  const middleware6: LanguageModelMiddleware6 = undangleModel();
  const middleware7: LanguageModelMiddleware = undangleModel({ language: "zh" });
  const model6 = wrapLanguageModel6({ model: new MockLanguageModelV3(), middleware: [middleware6, undangleModel()] });
  const model7 = wrapLanguageModel({ model: new MockLanguageModelV4(), middleware: [middleware7, undangleModel()] });
  expect([model6.specificationVersion, model7.specificationVersion]).toEqual(["v3", "v4"]);
});
