import { check } from "undangle";
import { createAgent, image, tool } from "undangle/agent";
import type { Model } from "undangle/models";
import { memoryStore } from "undangle/store/memory";
import { wireServer } from "undangle/testing";
import type { ScriptedTurn, WireServer } from "undangle/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { compatible, families } from "./families.ts";
import type { Family } from "./families.ts";

const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const tools = [
  tool({
    name: "add",
    description: "Adds.",
    input: z.object({ a: z.number(), b: z.number() }),
    execute: ({ a, b }) => a + b,
  }),
  tool({ name: "draw", description: "Draws.", input: z.object({}), execute: () => image(png, "image/png") }),
  tool({
    name: "fail",
    description: "Fails.",
    input: z.object({}),
    execute: () => Promise.reject(new Error("broken")),
  }),
];

/** A seal as the providers make them: OpenAI's can be told by how it begins. */
const sealOf = (words: string): string => `gAAAAABm${Buffer.from(words.padEnd(60)).toString("base64url")}`;

/** A turn that thinks, speaks and calls, sealed by its provider; and one that only speaks. */
const thinking = (round: number): ScriptedTurn => ({
  text: `Round ${round}.`,
  reasoning: `Thoughts of round ${round}.`,
  seal: sealOf(`seal of round ${round}`),
  calls: [
    { name: "add", arguments: { a: round, b: 1 } },
    { name: "draw", arguments: {} },
    { name: "fail", arguments: {} },
  ],
});

const speaking = (round: number): ScriptedTurn => ({
  text: `Done with round ${round}.`,
  reasoning: "It is clear.",
  seal: sealOf(`last seal of round ${round}`),
});

interface Station {
  readonly family: Family;
  readonly server: WireServer;
  readonly model: Model;
}

describe("a thread that goes from provider to provider", () => {
  let stations: readonly Station[] = [];
  const order: readonly string[] = ["openai, responses", "anthropic", "gemini", "mistral", "ollama", "openai, chat"];
  const round = [...order.map((name) => families.find((family) => family.name === name)), ...compatible];

  beforeAll(async () => {
    stations = await Promise.all(
      round
        .flatMap((family) => (family === undefined ? [] : [family]))
        .map(async (family) => {
          let asked = 0;
          const server = await wireServer({
            turns: () => (asked++ % 2 === 0 ? thinking(asked) : speaking(asked)),
            ...(family.provider !== undefined && { provider: family.provider }),
          });
          const reasoning = family.name === "mistral" ? {} : { reasoning: "low" as const };
          return { family, server, model: family.make(server.baseUrl(family.format), reasoning) };
        }),
    );
  });

  afterAll(async () => {
    await Promise.all(stations.map(({ server }) => server.close()));
  });

  test("is refused by none of them, twice around", { timeout: 60_000 }, async () => {
    const store = memoryStore();
    for (const [i, { model, family, server }] of [...stations, ...stations].entries()) {
      const thread = createAgent({ model, tools, store, instructions: "Be brief." }).thread("t");
      const end = await thread.send(`Question ${i}`).result;
      expect([family.name, end.status, end.error?.message]).toEqual([family.name, "done", undefined]);
      expect(server.requests.flatMap(({ refused }) => refused ?? [])).toEqual([]);
      expect(check(await thread.history("openai-chat"), { format: "openai-chat" })).toEqual([]);
    }
  });

  test("gives each provider what it has sealed itself, and what others have sealed to none", () => {
    const first = sealOf("seal of round 1");
    const mine: Readonly<Record<string, string>> = {
      "openai, responses": "encrypted_content",
      anthropic: "signature",
      gemini: "thoughtSignature",
    };
    for (const { family, server } of stations) {
      const key = mine[family.name];
      const last = JSON.stringify(server.requests.at(-1)?.body);
      const isThere = key === undefined ? last.includes(first) : last.includes(`"${key}":"${first}"`);
      expect([family.name, isThere]).toEqual([family.name, key !== undefined]);
      expect(last.split(first)).toHaveLength(key === undefined ? 1 : 2);
    }
  });

  test("is written the same every time, so that prompts stay cached", () => {
    for (const { family, server } of stations) {
      const lists = server.requests.map(({ body }) => listIn(body).map((message) => JSON.stringify(message)));
      const [first = [], second = []] = lists;
      expect([family.name, second.slice(0, first.length)]).toEqual([family.name, first]);
      const [, , third = [], fourth = []] = lists;
      expect([family.name, fourth.slice(0, third.length)]).toEqual([family.name, third]);
    }
  });
});

function listIn(body: Readonly<Record<string, unknown>>): readonly unknown[] {
  const list = body["messages"] ?? body["input"] ?? body["contents"];
  return Array.isArray(list) ? (list as readonly unknown[]) : [];
}
