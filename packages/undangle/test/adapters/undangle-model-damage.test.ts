import type { ModelMessage } from "ai";
import { wrapFetch } from "undangle";
import { type FaultName, faultNames, faults, wireServer } from "undangle/testing";
import { beforeAll, describe, expect, test } from "vitest";
import { undangleModel, type ModelRepair } from "../../src/adapters/ai-sdk.ts";
import { type AiProgram, aiPrograms } from "../clients/ai-sdk.ts";
import { turn, verdictOn } from "../clients/verdict.ts";

beforeAll(() => {
  Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });
});

/** What a provider's parser throws away before a middleware sees it, by the end of the program's name. */
const unseen: Readonly<Record<string, readonly FaultName[]>> = {
  "6, openai-compatible": ["index-zero", "index-missing", "index-null"],
  "6, openai chat": ["index-zero"],
  "openai-compatible": ["id-number", "name-split", "arguments-object", "finish-missing", "keep-alives"],
  "openai chat": [
    "id-null-first",
    "id-number",
    "index-missing",
    "index-null",
    "name-late",
    "name-split",
    "arguments-object",
    "content-parts",
    "finish-missing",
    "keep-alives",
  ],
  "openai responses": ["cr", "keep-alives"],
  anthropic: ["cr"],
  google: ["cr", "gemini-snake-case"],
};

describe.each(aiPrograms)("$name, with undangleModel", ({ name, format, hear }) => {
  const lost = new Set(Object.entries(unseen).flatMap(([end, names]) => (name.endsWith(end) ? names : [])));
  const all = faultNames(format).filter((fault) => faults[fault].outcome !== "leaked");

  test.each(all)("%s", async (fault) => {
    const { verdict, heard } = await verdictOf({ format, hear }, fault, globalThis.fetch);
    expect({ verdict, heard }).toMatchObject({ verdict: lost.has(fault) ? "lost" : "right" });
  });

  test("and wrapFetch: all of them come right", async () => {
    const verdicts = [];
    for (const fault of all) {
      const { verdict } = await verdictOf({ format, hear }, fault, wrapFetch({ logger: false }));
      verdicts.push({ fault, verdict });
    }
    expect(verdicts.filter(({ verdict }) => verdict !== "right")).toEqual([]);
  });

  test("a healthy answer, of which nothing is told", async () => {
    const repairs: ModelRepair[] = [];
    const middleware = undangleModel({ onRepair: (repair) => repairs.push(repair), logger: false });
    const server = await wireServer({ strict: false, turns: () => turn });
    const heard = await hear(server.baseUrl(format), globalThis.fetch, middleware);
    await server.close();
    expect({ verdict: verdictOn(heard, "same"), repairs }).toEqual({ verdict: "right", repairs: [] });
  });
});

/** A result without its call, as the SDK lets it through. */
const orphaned: ModelMessage[] = [
  { role: "user", content: "Hi." },
  {
    role: "tool",
    content: [
      { type: "tool-result", toolCallId: "call_a1", toolName: "find_book", output: { type: "text", value: "found" } },
    ],
  },
  { role: "user", content: "Well?" },
];

describe.each(aiPrograms)("$name, asked with a result that has no call", ({ format, sdk, modelOf }) => {
  test("is refused, and answered with undangleModel", async () => {
    const server = await wireServer({ turns: () => ({ text: "Hello." }) });
    const model = modelOf(server.baseUrl(format), globalThis.fetch);
    const tools = { find_book: { inputSchema: sdk.jsonSchema<object>({ type: "object", properties: {} }) } };
    const ask = async (asked: typeof model) =>
      (await sdk.generateText({ model: asked, messages: orphaned, tools, maxRetries: 0 })).text;
    await expect(ask(model)).rejects.toMatchObject({ name: "AI_APICallError", statusCode: 400 });
    const repairs: ModelRepair[] = [];
    const middleware = undangleModel({ onRepair: (repair) => repairs.push(repair), logger: false });
    expect(await ask(sdk.wrapLanguageModel({ model, middleware }))).toBe("Hello.");
    expect(repairs).toMatchObject([{ side: "request", provider: model.provider, model: model.modelId }]);
    expect(server.requests.map(({ refused }) => refused === undefined)).toEqual([false, true]);
    await server.close();
  });
});

async function verdictOf(
  { format, hear }: Pick<AiProgram, "format" | "hear">,
  fault: FaultName,
  fetch: typeof globalThis.fetch,
) {
  const server = await wireServer({ strict: false, turns: () => ({ ...turn, faults: [fault] }) });
  const middleware = undangleModel({ logger: false });
  const heard = await hear(server.baseUrl(format), fetch, middleware).catch(() => undefined);
  await server.close();
  return { heard, verdict: verdictOn(heard, faults[fault].outcome) };
}
