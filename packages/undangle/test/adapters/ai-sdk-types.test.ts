import { generateText, streamText, ToolLoopAgent, type ModelMessage, type UIMessage } from "ai";
import {
  generateText as generateText6,
  streamText as streamText6,
  type ModelMessage as ModelMessage6,
  type UIMessage as UIMessage6,
} from "ai-6";
import { MockLanguageModelV3 } from "ai-6/test";
import { MockLanguageModelV4 } from "ai/test";
import { expect, test } from "vitest";
import { repairModelMessages, repairStep, repairUIMessages } from "../../src/adapters/ai-sdk.ts";

const model = new MockLanguageModelV4();
const model6 = new MockLanguageModelV3();
const messages: ModelMessage[] = [{ role: "user", content: "Hello." }];
const messages6: ModelMessage6[] = [{ role: "user", content: "Hello." }];

/** Never called: it is here to be compiled. */
export const programs = [
  () => generateText({ model, messages, prepareStep: repairStep() }),
  () => streamText({ model, messages, prepareStep: repairStep({ language: "zh", onRepair: (edits) => edits.length }) }),
  () => new ToolLoopAgent({ model, prepareStep: repairStep() }),
  () =>
    generateText({
      model,
      messages,
      prepareStep: repairStep({}, ({ stepNumber, messages: given }) => {
        const first: ModelMessage | undefined = given[0];
        return stepNumber > 0 && first !== undefined ? { messages: given.slice(-10), temperature: 0 } : undefined;
      }),
    }),
  () => generateText6({ model: model6, messages: messages6, prepareStep: repairStep() }),
  () => streamText6({ model: model6, messages: messages6, prepareStep: repairStep({ orphans: "quote" }) }),
  () =>
    generateText6({
      model: model6,
      messages: messages6,
      prepareStep: repairStep({}, async ({ stepNumber }) => ({ toolChoice: stepNumber > 3 ? "none" : "auto" })),
    }),
  // @ts-expect-error: the format is known
  () => repairModelMessages(messages, { format: "anthropic" }),
  // @ts-expect-error: a step calls the model
  () => repairStep({ danglingAtEnd: "leave" }),
];

test("messages keep their type, in both versions", () => {
  const repaired: ModelMessage[] = repairModelMessages(messages);
  const repaired6: ModelMessage6[] = repairModelMessages(messages6);
  const page: UIMessage[] = [{ id: "1", role: "user", parts: [{ type: "text", text: "Hello." }] }];
  const page6: UIMessage6[] = [{ id: "1", role: "user", parts: [{ type: "text", text: "Hello." }] }];
  const ofPage: UIMessage[] = repairUIMessages(page);
  const ofPage6: UIMessage6[] = repairUIMessages(page6, { danglingAtEnd: "leave" });
  const frozen: readonly ModelMessage[] = repairModelMessages(Object.freeze([...messages]));
  expect([repaired, repaired6, ofPage, ofPage6]).toEqual([messages, messages6, page, page6]);
  expect(frozen).toHaveLength(1);
});
