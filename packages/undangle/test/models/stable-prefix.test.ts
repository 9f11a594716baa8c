import { createAgent, defineMiddleware, promptCaching, tool } from "undangle/agent";
import type { Model } from "undangle/agent";
import { openai, openaiCompatible } from "undangle/models";
import type { HttpModelOptions } from "undangle/models";
import { wireServer } from "undangle/testing";
import type { ScriptedTurn, WireFormat } from "undangle/testing";
import { describe, expect, test } from "vitest";
import { z } from "zod";

import { aiSdkFamilies, modelOf } from "./ai-sdk-families.ts";
import { families } from "./families.ts";

type Body = Readonly<Record<string, unknown>>;

/** A model in a format, and the prefix of its messages. */
interface Subject {
  readonly name: string;
  readonly format: WireFormat;
  readonly provider?: string | undefined;
  readonly seal?: string | undefined;
  readonly make: (baseURL: string, fetch: HttpModelOptions["fetch"]) => Model;
}

const apiKey = "test-key-0123456789";
const seals: Readonly<Partial<Record<WireFormat, string>>> = {
  anthropic: "c2VhbGVk",
  gemini: "c2VhbGVk",
  "openai-responses": "gAAAAABsealed",
};

const subjects: readonly Subject[] = [
  ...families.map(({ name, format, provider, make }) => ({
    name,
    format,
    provider,
    make: (baseURL: string, fetch: HttpModelOptions["fetch"]) => make(baseURL, { fetch }),
  })),
  {
    name: "anthropic that thinks",
    format: "anthropic",
    make: (baseURL, fetch) =>
      families.find(({ name }) => name === "anthropic")?.make(baseURL, { fetch, reasoning: "low" }) ?? fail(),
  },
  {
    name: "openai, chat, at its own address",
    format: "openai-chat",
    provider: "openai",
    make: (_baseURL, fetch) => openai("gpt-4.1", { apiKey, env: {}, api: "chat", fetch }),
  },
  {
    name: "deepseek",
    format: "openai-chat",
    provider: "deepseek",
    make: (baseURL, fetch) => openaiCompatible({ apiKey, provider: "deepseek", baseURL, fetch })("deepseek-chat"),
  },
  {
    name: "Claude at openrouter",
    format: "openai-chat",
    provider: "openrouter",
    make: (baseURL, fetch) =>
      openaiCompatible({ apiKey, provider: "openrouter", baseURL, fetch })("anthropic/claude-sonnet-4.5"),
  },
  ...aiSdkFamilies
    .filter(({ name, format }) => name.startsWith("7") || format === "anthropic")
    .map((family) => ({
      name: `AI SDK ${family.name}`,
      format: family.format,
      make: (baseURL: string) => modelOf(family, baseURL),
    })),
];

const fail = (): never => {
  throw new Error("There is no such family.");
};

const add = tool({
  name: "add",
  description: "Adds.",
  input: z.object({ a: z.number(), b: z.number() }),
  execute: ({ a, b }) => `${a + b}`,
});
const find = tool({ name: "find", description: "Finds.", input: z.object({ title: z.string() }), execute: () => "" });

/** Memory that stays the same in this conversation. */
const memory = defineMiddleware({
  name: "memory",
  beforeModel: (request) => ({
    ...request,
    system: [...request.system, { type: "text", path: "memory", text: "\n\nThe user likes tea.", isVolatile: true }],
  }),
});

/** A turn with calls after each message of the user, and a turn with text after results. Every tenth has many calls. */
function script(format: WireFormat): (request: { readonly body: Body }) => ScriptedTurn {
  let asked = 0;
  return () => {
    const turn = Math.floor(asked / 2);
    if (asked++ % 2 === 1)
      return { text: `The sum of turn ${turn} is there.`, reasoning: "Easy.", seal: seals[format] ?? "" };
    const count = turn % 10 === 9 ? 14 : 2;
    const calls = Array.from({ length: count }, (_, i) =>
      i === 1 ? { name: "find", arguments: { title: `„${turn}“` } } : { name: "add", arguments: { a: turn, b: i } },
    );
    return { reasoning: "I have to add.", seal: seals[format] ?? "", text: turn % 3 === 0 ? "" : "I add.", calls };
  };
}

/** All request bodies of a conversation of 50 turns, as they were sent. */
async function bodiesOf({ format, provider, make }: Subject): Promise<readonly string[]> {
  const server = await wireServer({ turns: script(format), ...(provider !== undefined && { provider }) });
  const baseURL = server.baseUrl(format);
  const sent: string[] = [];
  const recorded: HttpModelOptions["fetch"] = (url, init) => {
    if (typeof init.body === "string") sent.push(init.body);
    return fetch(url.replace("https://api.openai.com/v1", baseURL), init);
  };
  try {
    const agent = createAgent({
      name: "adder",
      model: make(baseURL, recorded),
      instructions: "Be brief.",
      tools: [add, find],
      middleware: [memory, promptCaching()],
    });
    const thread = agent.thread("t");
    for (let turn = 0; turn < 50; turn++) {
      const { status, text } = await thread.send(`What is ${turn} plus something? 加一下。`).result;
      expect([turn, status, text]).toEqual([turn, "done", `The sum of turn ${turn} is there.`]);
    }
    expect(server.requests.map(({ refused }) => refused).filter((refused) => refused !== undefined)).toEqual([]);
    return sent.length > 0 ? sent : server.requests.map(({ body }) => JSON.stringify(body)); // a package has its own fetch
  } finally {
    await server.close();
  }
}

/** A body without markers. A text is the same as a list of one text block, which Anthropic reads alike. */
function withoutMarkers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutMarkers);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value)
    .filter(([key]) => key !== "cache_control")
    .map(([key, inner]) => [key, withoutMarkers(inner)] as const);
  return Object.fromEntries(entries.map(([key, inner]) => [key, key === "content" ? textIn(inner) : inner]));
}

function textIn(content: unknown): unknown {
  const [only, ...others] = Array.isArray(content) ? (content as readonly unknown[]) : [];
  if (others.length > 0 || typeof only !== "object" || only === null || !("text" in only)) return content;
  return "type" in only && only.type === "text" ? only.text : content;
}

/** The bytes of a body around its list of messages, and the list without its end. */
function partsOf(body: string, isMarked: boolean): { readonly around: string; readonly list: string } {
  const value = JSON.parse(body) as Body; // a body
  expect(JSON.stringify(value)).toBe(body); // so nothing is lost by reading it
  const clean = (isMarked ? withoutMarkers(value) : value) as Body; // of the same shape
  const list = JSON.stringify(clean["messages"] ?? clean["input"] ?? clean["contents"]);
  const whole = JSON.stringify(clean);
  const start = whole.indexOf(list);
  return { around: whole.slice(0, start) + whole.slice(start + list.length), list: list.slice(0, -1) };
}

/** The blocks of a request to Anthropic in the order of the prompt, and whether they are marked. */
function blocksOf(body: string): readonly { readonly text: string; readonly isMarked: boolean }[] {
  const { tools, system, messages } = JSON.parse(body) as {
    readonly tools: readonly object[];
    readonly system: readonly object[];
    readonly messages: readonly { readonly role: string; readonly content: string | readonly object[] }[];
  };
  const conversation = messages.flatMap(({ role, content }) =>
    (typeof content === "string" ? [{ type: "text", text: content }] : content).map((block) => ({ role, ...block })),
  );
  return [...tools, ...system, ...conversation].map((block) => ({
    text: JSON.stringify(withoutMarkers(block)),
    isMarked: "cache_control" in block,
  }));
}

/**
 * The prompt cache of Anthropic: a marker stores the prompt up to its block, and finds what was stored up to there or up
 * to one of the 19 blocks before. Returns the number of blocks that a request reads, by request.
 */
function readsOf(bodies: readonly string[]): readonly { readonly read: number; readonly written: number }[] {
  const stored = new Set<string>();
  return bodies.map((body) => {
    const blocks = blocksOf(body);
    const prefixes: string[] = [];
    blocks.reduce((prefix, { text }, i) => (prefixes[i] = `${prefix}\n${text}`), "");
    const marked = blocks.flatMap(({ isMarked }, i) => (isMarked ? [i] : []));
    expect(marked.length).toBeLessThanOrEqual(4);
    const found = marked.flatMap((i) => {
      for (let at = i; at >= 0 && at > i - 20; at--) if (stored.has(prefixes[at] ?? "")) return [at + 1];
      return [];
    });
    for (const i of marked) stored.add(prefixes[i] ?? "");
    return { read: Math.max(0, ...found), written: Math.max(...marked) + 1 };
  });
}

describe("a conversation of 50 turns with tools", () => {
  test.each(subjects)(
    "PC8, SU18: only adds to the bytes of its last request: $name",
    async (subject) => {
      const bodies = await bodiesOf(subject);
      expect(bodies.length).toBe(100);
      const isMarked = subject.format === "anthropic";
      const requests = bodies.map((body) => partsOf(body, isMarked));
      for (const [n, { around, list }] of requests.entries()) {
        const next = requests[n + 1];
        if (next === undefined) break;
        expect(next.around).toBe(around);
        expect(next.list.slice(0, list.length)).toBe(list);
        expect(next.list.length).toBeGreaterThan(list.length);
      }
      const caches = isMarked ? readsOf(bodies) : [];
      // Every request reads all that the request before it has stored.
      expect(caches.slice(1).map(({ read }) => read)).toEqual(caches.slice(0, -1).map(({ written }) => written));
    },
    60_000,
  );
});
