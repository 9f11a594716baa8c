import { createOpenAICompatible as createOpenAICompatible6 } from "@ai-sdk-6/openai-compatible";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import * as ai7 from "ai";
import * as ai6 from "ai-6";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { repairModelMessages, repairStep, repairUIMessages } from "../../src/adapters/ai-sdk.ts";
import { halfDoneParts, approvedAtTheEnd, approvedOneByOne, pageWith, passedOn, thrown } from "./ai-sdk-histories.ts";
import { startStrictServer, type StrictServer } from "./strict-server.ts";

let server: StrictServer;
let removed: string[] = [];

beforeAll(async () => {
  server = await startStrictServer();
});

beforeEach(() => {
  server.taken.length = 0;
  server.refused.length = 0;
  removed = [];
});

afterAll(() => server.close());

const inputSchema = z.object({ query: z.string() });
const remove = ({ query }: { query: string }): string => {
  removed.push(query);
  return `removed ${query}`;
};
const toolsOf6 = {
  search: ai6.tool({ inputSchema }),
  remove: ai6.tool({ inputSchema, needsApproval: true, execute: remove }),
};
const toolsOf7 = {
  search: ai7.tool({ inputSchema }),
  remove: ai7.tool({ inputSchema, needsApproval: true, execute: remove }),
};
// The SDK's own tools are no tools to it where optional is not the same as undefined.
const tools6 = toolsOf6 as unknown as ai6.ToolSet;
const tools7 = toolsOf7 as unknown as ai7.ToolSet;

const model6 = () => createOpenAICompatible6({ name: "strict", baseURL: server.url })("some-model");
const model7 = () => createOpenAICompatible({ name: "strict", baseURL: server.url })("some-model");

/** The program as people write it, and with the one line that is added. Histories come from a store, without a type. */
const versions = [
  {
    version: "ai 6",
    ask: async (messages: readonly unknown[]) =>
      (
        await ai6.generateText({
          model: model6(),
          messages: messages as ai6.ModelMessage[],
          tools: tools6,
          maxRetries: 0,
        })
      ).text,
    askRepaired: async (messages: readonly unknown[]) =>
      (
        await ai6.generateText({
          model: model6(),
          messages: messages as ai6.ModelMessage[],
          tools: tools6,
          maxRetries: 0,
          prepareStep: repairStep(),
        })
      ).text,
    streamRepaired: (messages: readonly unknown[]) =>
      ai6.streamText({ model: model6(), messages: messages as ai6.ModelMessage[], prepareStep: repairStep() }).text,
    convert: (messages: readonly unknown[]): Promise<readonly unknown[]> =>
      Promise.resolve(ai6.convertToModelMessages(messages as ai6.UIMessage[])),
    validate: (messages: readonly unknown[]) => ai6.validateUIMessages({ messages: [...messages] }),
  },
  {
    version: "ai 7",
    ask: async (messages: readonly unknown[]) =>
      (
        await ai7.generateText({
          model: model7(),
          messages: messages as ai7.ModelMessage[],
          tools: tools7,
          maxRetries: 0,
        })
      ).text,
    askRepaired: async (messages: readonly unknown[]) =>
      (
        await ai7.generateText({
          model: model7(),
          messages: messages as ai7.ModelMessage[],
          tools: tools7,
          maxRetries: 0,
          prepareStep: repairStep(),
        })
      ).text,
    streamRepaired: async (messages: readonly unknown[]) =>
      await ai7.streamText({ model: model7(), messages: messages as ai7.ModelMessage[], prepareStep: repairStep() })
        .text,
    convert: async (messages: readonly unknown[]): Promise<readonly unknown[]> =>
      await ai7.convertToModelMessages(messages as ai7.UIMessage[]),
    validate: (messages: readonly unknown[]) => ai7.validateUIMessages({ messages: [...messages] }),
  },
] as const;

/** What the server was told by tool messages. */
const told = (): string => JSON.stringify(server.taken.at(-1));

describe.each(versions)("$version", ({ ask, askRepaired, streamRepaired, convert, validate }) => {
  test.each(Object.entries(thrown))("%s: throws, and runs with one more line", async (_, history) => {
    await expect(ask(history)).rejects.toThrow(/Tool result.* missing|do not match the ModelMessage/u);
    expect(server.taken).toEqual([]);
    expect(await askRepaired(history)).toBe("Done.");
    expect(server.refused).toEqual([]);
  });

  test.each(Object.entries(passedOn))(
    "%s: is refused by the provider, and runs with one more line",
    async (_, history) => {
      await expect(ask(history)).rejects.toThrow(/must be/u);
      expect(await askRepaired(history)).toBe("Done.");
      expect(server.refused).toHaveLength(1);
    },
  );

  test.each([...Object.entries(thrown), ...Object.entries(passedOn)])(
    "%s: runs when the messages are repaired before the call, and when it streams",
    async (_, history) => {
      expect(await ask(repairModelMessages(history))).toBe("Done.");
      expect(await streamRepaired(history)).toBe("Done.");
      expect(server.refused).toEqual([]);
    },
  );

  test("tells the model what became of a call, and keeps every real result", async () => {
    await askRepaired(thrown["one call of three without a result"] ?? []);
    expect(told()).toContain("Tool call search with id c2 was cancelled - another message came in");
    expect(told()).toContain("first");
    expect(told()).toContain("third");
  });

  test("tells the model of a refusal, with its reason", async () => {
    await askRepaired(thrown["a refusal and a new message"] ?? []);
    expect(told()).toContain("The user rejected this operation");
    expect(told()).toContain("not on a Friday");
    expect(removed).toEqual([]);
  });

  test("leaves decisions in the last message to the SDK: what was approved runs once, what was refused does not", async () => {
    expect(repairModelMessages(approvedAtTheEnd)).toBe(approvedAtTheEnd);
    expect(await askRepaired(approvedAtTheEnd)).toBe("Done.");
    expect(removed).toEqual(["c1"]);
    expect(told()).toContain("removed c1");
    expect(told()).toContain("keep this one");
  });

  test("keeps the result of a call that ran, where its neighbour was never decided", async () => {
    await askRepaired(thrown["one of two approvals answered"] ?? []);
    expect(removed).toEqual(["c1"]);
    expect(told()).toContain("removed c1");
    expect(told()).toContain("Tool call remove with id c2 has no recorded result");
  });

  test("runs both calls that were approved one by one, once the messages are repaired", async () => {
    await expect(ask(approvedOneByOne)).rejects.toThrow(/missing/u);
    removed = [];
    expect(await ask(repairModelMessages(approvedOneByOne))).toBe("Done.");
    expect(removed).toEqual(["c1", "c2"]);
  });

  test.each(Object.entries(halfDoneParts))("%s: is answered in the page's messages", async (_, part) => {
    for (const isLast of [false, true]) {
      const page = pageWith(part, isLast);
      const repaired = repairUIMessages(page);
      await expect(validate(repaired)).resolves.toHaveLength(page.length);
      const messages = await convert(repaired);
      // At the very end the SDK acts upon a decision; this tool has nothing to run, so that it takes the line for steps too.
      expect(await (isLast ? askRepaired : ask)(messages)).toBe("Done.");
      expect(told()).toMatch(/Tool call \w*search with id c1|too dear|"role":"tool"/u);
      expect(server.refused).toEqual([]);
    }
  });

  test("without a repair, a page's message with an open call throws", async () => {
    const part = halfDoneParts["a call that was never run"] ?? {};
    await expect(convert(pageWith(part)).then(ask)).rejects.toThrow(/missing/u);
  });

  test("without a repair, a call whose input was still streaming is gone as if it had never been made", async () => {
    const part = halfDoneParts["a call whose input was still streaming"] ?? {};
    await ask(await convert(pageWith(part)));
    expect(told()).not.toContain("c1");
    await ask(await convert(repairUIMessages(pageWith(part))));
    expect(told()).toContain("Tool call search with id c1 was not executed - its arguments were cut off.");
  });
});

describe("a step", () => {
  const healthy = [{ role: "user", content: "Hello." }];
  const poisoned = thrown["a call that a message superseded"] as { role: string }[]; // it is in the table

  test("that is healthy is left to the SDK", () => {
    expect(repairStep()({ messages: healthy })).toBeUndefined();
  });

  test("that is repaired is told of, and looks the same whenever it is repaired again", () => {
    const edits: string[] = [];
    const prepare = repairStep({ onRepair: (made) => edits.push(...made.map(({ rule }) => rule)), language: "zh" });
    const first = prepare({ messages: poisoned });
    expect(JSON.stringify(first)).toContain("已被取消");
    expect(prepare({ messages: poisoned })).toEqual(first);
    expect(prepare({ messages: first?.messages ?? [] })).toBeUndefined();
    expect(edits).toEqual(["unanswered-call", "unanswered-call"]);
  });

  test("shows repaired messages to a function of one's own, and repairs what that one returns", async () => {
    const seen: number[] = [];
    const trim = repairStep({}, ({ messages }: { messages: { role: string }[] }) => {
      seen.push(messages.length);
      return { messages: messages.slice(2), temperature: 0 };
    });
    const later = repairStep({}, async (step: { messages: { role: string }[] }) =>
      step.messages.length > 9 ? {} : undefined,
    );
    expect(trim({ messages: poisoned })).toMatchObject({ temperature: 0 });
    expect(trim({ messages: poisoned }).messages.map(({ role }) => role)).toEqual(["assistant", "tool", "user"]);
    expect(seen).toEqual([4, 4]);
    expect(await later({ messages: poisoned })).toMatchObject({ messages: { length: 4 } });
    expect(await later({ messages: healthy })).toBeUndefined();
  });

  test("comes before the SDK looks for missing results, and middleware after that", async () => {
    const reached: string[] = [];
    const note = (what: string) => ({
      specificationVersion: "v4" as const,
      transformParams: async <Params>({ params }: { params: Params }) => {
        reached.push(what);
        return params;
      },
    });
    const wrapped = ai7.wrapLanguageModel({ model: model7(), middleware: note("middleware") });
    const messages = poisoned as ai7.ModelMessage[]; // a history of the table
    const prepareStep = () => void reached.push("step");
    await expect(ai7.generateText({ model: wrapped, messages, prepareStep })).rejects.toThrow(/missing/u);
    expect(reached).toEqual(["step"]);
  });
});
