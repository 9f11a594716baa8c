import * as ai7 from "ai";
import * as ai6 from "ai-6";
import { MockLanguageModelV3 } from "ai-6/test";
import { MockLanguageModelV4 } from "ai/test";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { repairModelMessages, repairUIMessages } from "../../src/adapters/ai-sdk.ts";
import { broken } from "../fixtures/broken.ts";
import { healthy } from "../fixtures/healthy.ts";
import { messagesOf } from "../judge/generate.ts";
import { recordOf } from "../../src/testing/judge/loose.ts";

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};
const answer = {
  content: [{ type: "text" as const, text: "Done." }],
  finishReason: { unified: "stop" as const, raw: "stop" },
  usage,
  warnings: [],
};
const inputSchema = z.unknown();
const execute = () => "ran";

/** The SDK itself is the judge: it converts the messages, looks for missing results, acts upon approvals. */
const versions = [
  {
    version: "ai 6",
    ask: async (messages: readonly unknown[]) => {
      const model = new MockLanguageModelV3({ doGenerate: () => Promise.resolve(answer) });
      const remove = ai6.tool({ inputSchema, needsApproval: true, execute });
      const given = messages as ai6.ModelMessage[]; // the SDK looks for itself
      const { text } = await ai6.generateText({
        model,
        messages: given,
        tools: { remove } as unknown as ai6.ToolSet,
        allowSystemInMessages: true,
      });
      return text;
    },
    convert: async (messages: readonly unknown[]): Promise<readonly unknown[]> =>
      ai6.convertToModelMessages(messages as ai6.UIMessage[]),
  },
  {
    version: "ai 7",
    ask: async (messages: readonly unknown[]) => {
      const model = new MockLanguageModelV4({ doGenerate: () => Promise.resolve(answer) });
      const remove = ai7.tool({ inputSchema, needsApproval: true, execute });
      const given = messages as ai7.ModelMessage[]; // the SDK looks for itself
      const { text } = await ai7.generateText({
        model,
        messages: given,
        tools: { remove } as unknown as ai7.ToolSet,
        allowSystemInMessages: true,
      });
      return text;
    },
    convert: async (messages: readonly unknown[]): Promise<readonly unknown[]> =>
      ai7.convertToModelMessages(messages as ai7.UIMessage[]),
  },
];

const histories = [...broken, ...healthy]
  .filter(({ format }) => format === "ai-sdk")
  .map(({ id, body }) => ({ id, messages: messagesOf(body, "ai-sdk") as readonly { readonly role: string }[] }))
  .filter(({ messages }) => messages.length > 0);

describe.each(versions)("$version", ({ ask, convert }) => {
  test.each(histories)("takes $id once it is repaired", async ({ messages }) => {
    const isForPage = messages.some((message) => Array.isArray(recordOf(message)["parts"]));
    const repaired = isForPage ? await convert(repairUIMessages(messages)) : repairModelMessages(messages);
    expect(await ask(repaired)).toBe("Done.");
  });
});
