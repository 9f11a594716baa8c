import fc from "fast-check";
import type { ModelMessage } from "ai";
import { describe, expect, test } from "vitest";
import { repairModelMessages, undangleModel } from "../../src/adapters/ai-sdk.ts";
import { judgeWire } from "../../src/testing/judge/judge.ts";
import { isRecord } from "../../src/testing/judge/loose.ts";
import { generate, lostTexts, textsOf } from "../judge/generate.ts";
import { mutate } from "../judge/mutate.ts";
import { providerModels, type ProviderModel } from "./provider-models.ts";

type Wire = Record<string, unknown>;

/** What a seed decides of a call besides its messages. */
interface Settings {
  readonly hasTools: boolean;
  readonly thinks: boolean;
  readonly isStored: boolean;
}

const tokens = ["gAAAAABo", "words, and no token", undefined];

/** Reasoning as packages keep it: signed, encrypted, or neither. */
function withSeals(messages: readonly unknown[], seed: number): ModelMessage[] {
  let count = seed;
  const sealed = messages.map((message) => {
    if (!isRecord(message) || !Array.isArray(message["content"])) return message;
    const content = message["content"].map((part: unknown) => {
      if (!isRecord(part) || part["type"] !== "reasoning") return part;
      count += 1;
      const openai = { itemId: `rs_${count % 5}`, reasoningEncryptedContent: tokens[count % 3] };
      const anthropic = count % 3 === 0 ? {} : { signature: "signed" };
      return { ...part, providerOptions: { anthropic, ...(count % 4 === 0 ? {} : { openai }) } };
    });
    return { ...message, content };
  });
  return sealed as ModelMessage[]; // of any kind: the SDK may refuse them
}

interface Sent {
  /** Undefined where the SDK refused the messages itself. */
  readonly body: Wire | undefined;
  /** The call as the model got it, and what the middleware makes of that. */
  readonly isSettled: boolean;
  readonly isTouched: boolean;
  readonly prompts: readonly (readonly unknown[])[];
}

/** The request that the package of a provider sends for messages. */
async function send(
  { modelId, modelOf, sdk }: ProviderModel,
  messages: readonly ModelMessage[],
  { hasTools, thinks, isStored }: Settings,
  isBare = false,
): Promise<Sent> {
  let body: Wire | undefined;
  let isSettled = true;
  let isTouched = false;
  const prompts: (readonly unknown[])[] = [];
  const model = modelOf("http://host.example", async (_, init) => {
    const text = typeof init?.body === "string" ? init.body : "{}"; // packages send JSON
    body = { model: modelId, ...(JSON.parse(text) as Wire) }; // an object
    throw new Error("That is enough.");
  });
  const ours = undangleModel({ logger: false });
  const middleware = {
    specificationVersion: "v3" as const,
    transformParams: async ({ params }: { params: Parameters<typeof ours.transformParams>[0]["params"] }) => {
      if (isBare) return params;
      const fitted = await ours.transformParams({ params, model });
      isTouched = fitted !== params;
      isSettled = (await ours.transformParams({ params: fitted, model })) === fitted;
      prompts.push(params.prompt, fitted.prompt);
      return fitted;
    },
  };
  const look = { inputSchema: sdk.jsonSchema<object>({ type: "object", properties: {} }) };
  const options: Parameters<typeof sdk.generateText>[0] = {
    model: sdk.wrapLanguageModel({ model, middleware: middleware as never }), // the types of two versions
    messages: repairModelMessages([...messages]),
    maxRetries: 0,
    allowSystemInMessages: true,
    ...(hasTools && { tools: { look } }),
    providerOptions: {
      anthropic: thinks ? { thinking: { type: "enabled", budgetTokens: 1024 } } : {},
      openai: { store: isStored },
    },
  };
  await sdk.generateText(options).catch(() => undefined); // the request is what counts
  return { body, isSettled, isTouched, prompts };
}

/** `npm run fuzz` decides itself. */
const runs = process.env["FUZZ"] ? {} : { numRuns: 40 };

const settings = fc.record({ hasTools: fc.boolean(), thinks: fc.boolean(), isStored: fc.boolean() });

const isForPage = (messages: readonly unknown[]): boolean =>
  messages.some((message) => isRecord(message) && Array.isArray(message["parts"]));

const listOf = (body: unknown): readonly unknown[] =>
  Array.isArray(body) ? body : isRecord(body) && Array.isArray(body["messages"]) ? body["messages"] : [];

/** The package for Gemini writes a response for each text of a result, which only a `fetch` can see. */
const isBeyondPrompts = (messages: readonly ModelMessage[]): boolean =>
  JSON.stringify(messages).includes('"type":"content"');

describe.each(providerModels)("$name", (target) => {
  test("takes what the middleware makes of damaged histories, in which nothing is lost", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.integer({ min: 0, max: 5 }), settings, async (seed, size, chosen) => {
        const given = listOf(mutate(generate("ai-sdk", seed, size), "ai-sdk", seed));
        if (isForPage(given)) return;
        const messages = withSeals(given, seed);
        const { body, isSettled, prompts } = await send(target, messages, chosen);
        if (body === undefined || (target.modelId === "gemini-2.5-pro" && isBeyondPrompts(messages))) return;
        expect(judgeWire(body, { format: target.format })).toEqual([]);
        expect(isSettled).toBe(true);
        const [before = [], after = []] = prompts;
        expect(lostTexts(textsOf(before, "ai-sdk"), JSON.stringify(after))).toEqual([]);
      }),
      runs,
    );
  });

  test("gets a healthy history as it is", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.integer({ min: 0, max: 5 }), settings, async (seed, size, chosen) => {
        const given = listOf(generate("ai-sdk", seed, size));
        if (isForPage(given)) return;
        const messages = withSeals(given, seed);
        const bare = await send(target, messages, chosen, true);
        if (bare.body === undefined || judgeWire(bare.body, { format: target.format }).length > 0) return;
        expect((await send(target, messages, chosen)).isTouched).toBe(false);
      }),
      runs,
    );
  });
});
