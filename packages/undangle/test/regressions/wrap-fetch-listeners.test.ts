import { wrapFetch } from "undangle";
import { undangleModel } from "undangle/ai-sdk";
import { afterAll, beforeAll, expect, test } from "vitest";
import { setTimeout as pause } from "node:timers/promises";

const rejected: unknown[] = [];
const hear = (reason: unknown): void => void rejected.push(reason);
beforeAll(() => process.on("unhandledRejection", hear));
afterAll(() => process.off("unhandledRejection", hear));

/** What a program may hand over where it is said that nothing is given back: a promise that comes to nothing. */
const listeners = () => {
  let count = 0;
  const fail = async (): Promise<void> => {
    count += 1;
    throw new Error("not my day");
  };
  return { count: () => count, onRepair: fail as () => void, logger: { warn: fail as () => void } };
};

test("a listener of wrapFetch that fails later is nobody's affair", async () => {
  const { count, onRepair, logger } = listeners();
  const fetch = wrapFetch({ onRepair, logger, fetch: async () => new Response("no", { status: 400 }) });
  const call = { id: "a", type: "function", function: { name: "f", arguments: "{}" } };
  const messages = [
    { role: "assistant", tool_calls: [call] },
    { role: "user", content: "Well?" },
  ];
  const body = JSON.stringify({ model: "gpt-4.1", messages });
  await fetch("https://host.example/v1/chat/completions", { method: "POST", body });
  await pause(10);
  expect(count()).toBe(2);
  expect(rejected).toEqual([]);
});

test("and so is one of undangleModel", async () => {
  const { count, onRepair, logger } = listeners();
  const { transformParams } = undangleModel({ onRepair, logger });
  const call = { type: "tool-call" as const, toolCallId: "a", toolName: "f", input: {} };
  const prompt = [
    { role: "assistant" as const, content: [call] },
    { role: "user" as const, content: [{ type: "text" as const, text: "Well?" }] },
  ];
  await transformParams?.({ type: "generate", params: { prompt }, model: {} } as never);
  await pause(10);
  expect(count()).toBe(2);
  expect(rejected).toEqual([]);
});
