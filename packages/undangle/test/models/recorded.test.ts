import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import type { GenerateContentParameters } from "@google/genai";
import OpenAI from "openai";
import { wireServer } from "undangle/testing";
import type { WireServer } from "undangle/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { decode } from "#codecs";
import type { Format } from "#codecs";
import type { ModelRequest } from "#model";

import { hear } from "./asking.ts";
import { compatible, families } from "./families.ts";
import type { Family } from "./families.ts";

const folder = process.env["UNDANGLE_CORPUS"] ?? "";
const isThere = existsSync(join(folder, "recorded.jsonl"));

interface Case {
  readonly id: string;
  readonly format: Format;
  readonly provider?: string;
  readonly expect: readonly string[];
  readonly request: Readonly<Record<string, unknown>> | readonly unknown[];
}

function casesIn(name: string): readonly Case[] {
  if (!isThere) return [];
  const lines = readFileSync(join(folder, `${name}.jsonl`), "utf8").split("\n");
  return lines.filter((line) => line.trim() !== "").map((line) => JSON.parse(line) as Case); // our own file format
}

/** The history of a request as a model is asked to go on with it. */
function asked({ request, format }: Case): Partial<ModelRequest> {
  const { messages, setting } = decode(request, { from: format }).conversation;
  const system = messages.flatMap((message) => (message.role === "system" ? message.parts : []));
  const tools = (setting?.tools ?? []).map(({ name, description, schema }) => ({
    name,
    description,
    schema: (schema ?? { type: "object", properties: {} }) as ModelRequest["tools"][number]["schema"], // as it was recorded
  }));
  return { system, messages: messages.filter(({ role }) => role !== "system"), tools };
}

interface Court {
  readonly family: Family;
  readonly server: WireServer;
}

describe.runIf(isThere)("the histories in the folder that UNDANGLE_CORPUS names (skipped where it names none)", () => {
  const cases = ["recorded", "healthy", "broken"].flatMap(casesIn);
  let courts: readonly Court[] = [];

  beforeAll(async () => {
    courts = await Promise.all(
      [...families, ...compatible].map(async (family) => {
        const { provider } = family;
        const turns = () => ({ text: "Good." });
        return { family, server: await wireServer({ turns, ...(provider !== undefined && { provider }) }) };
      }),
    );
  });

  afterAll(async () => {
    await Promise.all(courts.map(({ server }) => server.close()));
  });

  test.each(cases)("$id goes on with a model of any provider", async (one) => {
    const request = asked(one);
    const problems: unknown[] = [];
    for (const { family, server } of courts) {
      for (const options of families.includes(family) ? [{}, { reasoning: "low" as const }] : [{}]) {
        const { error, turn } = await hear(
          family.make(server.baseUrl(family.format), { retries: 0, ...options }),
          request,
        );
        if (turn?.text !== "Good.") problems.push([family.name, options, error]);
      }
    }
    expect(problems).toEqual([]);
  });

  test.each(cases.filter(({ id, expect: broken }) => isRecorded(id) && broken.length === 0))(
    "$id is written as its provider took it",
    async (one) => {
      const family = [...families, ...compatible].find(
        ({ format, provider = "openai" }) => format === one.format && provider === (one.provider ?? "openai"),
      );
      const court = courts.find((each) => each.family === family);
      if (family === undefined || court === undefined) return; // Bedrock, which has no model of ours
      await hear(family.make(court.server.baseUrl(family.format)), asked(one));
      expect(plain(listIn(court.server.requests.at(-1)?.body))).toEqual(plain(listIn(one.request)));
    },
  );

  test("go on wherever the SDK of the provider gets an answer, and also where it gets none", async () => {
    const tally = { both: 0, "only ours": 0, neither: 0, "only the SDK's": 0 };
    for (const one of cases) {
      const family = families.find(
        ({ format, provider }) => format === one.format && (one.provider ?? "openai") === (provider ?? "openai"),
      );
      const court = courts.find((each) => each.family === family);
      const send = Array.isArray(one.request) ? undefined : senders[one.format];
      if (family === undefined || court === undefined || send === undefined) continue;
      const base = court.server.baseUrl(family.format);
      const theirs = await isAnswered(() => send(base, one.request as Readonly<Record<string, unknown>>)); // no list, as was looked
      const { turn } = await hear(family.make(base, { retries: 0 }), asked(one));
      const ours = turn?.text === "Good.";
      tally[ours ? (theirs ? "both" : "only ours") : theirs ? "only the SDK's" : "neither"]++;
    }
    expect(tally).toMatchObject({ neither: 0, "only the SDK's": 0 });
    expect(tally.both).toBeGreaterThan(20);
    expect(tally["only ours"]).toBeGreaterThan(20);
  });
});

/**
 * The ids of what was recorded as it is compared: not two whose messages the API joins itself, two that give their system
 * message apart from the others, and one whose id is longer than OpenAI's own may be.
 */
const isRecorded = (id: string): boolean =>
  recordedIds.has(id) && !["v165", "c074", "v210", "v211", "v214"].includes(id);
const recordedIds = new Set(casesIn("recorded").map(({ id }) => id));

function listIn(body: unknown): unknown {
  const { messages, input, contents } = body as Readonly<Record<string, unknown>>; // a request
  return messages ?? input ?? contents;
}

/** The same where a text stands in a block of its own, and without marks for caches. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) {
    const list = value.map(plain);
    const [only] = list as readonly Readonly<Record<string, unknown>>[]; // looked at with care
    return list.length === 1 && /^(?:input_|output_)?text$/u.test(String(only?.["type"])) ? only?.["text"] : list;
  }
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).filter(([key]) => key !== "cache_control");
  return Object.fromEntries(members.map(([key, member]) => [key, plain(member)]));
}

type Send = (baseURL: string, request: Readonly<Record<string, unknown>>) => Promise<unknown>;

/** The same request by the SDK of its provider. The requests are those of the corpus, whatever the types say. */
const senders: Readonly<Partial<Record<Format, Send>>> = {
  "openai-chat": (baseURL, request) =>
    new OpenAI({ baseURL, apiKey: "none", maxRetries: 0 }).chat.completions.create({
      ...(request as unknown as OpenAI.Chat.ChatCompletionCreateParamsNonStreaming),
      stream: false,
    }),
  "openai-responses": (baseURL, request) =>
    new OpenAI({ baseURL, apiKey: "none", maxRetries: 0 }).responses.create({
      ...(request as OpenAI.Responses.ResponseCreateParamsNonStreaming),
      stream: false,
    }),
  anthropic: (baseURL, request) =>
    new Anthropic({ baseURL, apiKey: "none", maxRetries: 0 }).messages.create({
      ...(request as unknown as Anthropic.MessageCreateParamsNonStreaming),
      stream: false,
    }),
  gemini: (baseUrl, { model = "gemini-2.5-flash", contents, ...rest }) =>
    new GoogleGenAI({ apiKey: "none", httpOptions: { baseUrl } }).models.generateContent({
      model,
      contents,
      config: { ...rest, ...(rest["generationConfig"] as object | undefined) },
    } as GenerateContentParameters),
};

async function isAnswered(ask: () => Promise<unknown>): Promise<boolean> {
  try {
    await ask();
    return true;
  } catch {
    return false; // which SDK refuses what is theirs to say
  }
}
