import { inspect } from "node:util";

import { createOpenAI as createOpenAI6 } from "@ai-sdk-6/openai";
import { createOpenAI } from "@ai-sdk/openai";
import { aiSdkModel } from "#model";
import { wireServer } from "#testing";
import { describe, expect, test } from "vitest";

import { faultOf, hear } from "./asking.ts";

const apiKey = "sk-proj-0123456789abcdefghij";
const words = "A very private question.";
const messages = [
  { role: "user", path: "", name: undefined, parts: [{ type: "text", path: "", text: words }] } as const,
];

describe.each([
  ["6", createOpenAI6],
  ["7", createOpenAI],
])("an error of a package of the AI SDK %s", (_version, create) => {
  /** What a model says when its provider refuses it with a message. */
  async function refused(message: string) {
    const server = await wireServer({ turns: [{ error: { status: 401, message } }] });
    const model = aiSdkModel(create({ baseURL: server.baseUrl("openai-chat"), apiKey }).chat("gpt-4.1"));
    const error = faultOf(await hear(model, { messages }));
    await server.close();
    return error;
  }

  test("does not tell a key that the provider echoes", async () => {
    const error = await refused(`Incorrect API key provided: ${apiKey}.`);
    expect(error.code).toBe("model/auth");
    expect(error.message).toContain("Incorrect API key provided: ***.");
    expect(inspect(error, { depth: 9 })).not.toContain(apiKey);
    expect(JSON.stringify([error, error.cause])).not.toContain(apiKey);
  });

  test("does not show the conversation to a log, only to who asks for it", async () => {
    const error = await refused("Who are you?");
    expect(inspect(error, { depth: 9 })).not.toContain(words);
    expect(JSON.stringify(error.cause)).not.toContain(words);
    expect(error.cause).toMatchObject({ name: "AI_APICallError", statusCode: 401 });
    expect(JSON.stringify((error.cause as { requestBodyValues?: unknown }).requestBodyValues)).toContain(words); // it is one
  });
});
