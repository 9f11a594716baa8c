import { ChatOpenAI } from "@langchain/openai";
import { wrapFetch } from "undangle";
import { describe, expect, test } from "vitest";

import { aiPrograms } from "../clients/ai-sdk.ts";
import { answering, passedThrough, responseOf, ways } from "../clients/passed-through.ts";
import type { Typed } from "../clients/passed-through.ts";
import { responses } from "../clients/requests.ts";
import { called, calling, ended, numbered, part, said, saying, usage } from "../clients/response-events.ts";
import { sdks } from "../clients/sdks.ts";

/** Servers that follow OpenAI's Responses leave fields out without which clients do not read what they say. */
const { url } = responses;
const base = "https://host.example/v1";
const args = '{"title":"Emma"}';
const call = called(1, "find_book", args);
const spoken = [...saying, ended(said)];
const healthy = [...saying, ...calling(1, call, args), ended(said, call)];

/** A value without a field, or with null in it, wherever the field stands. */
const without = <Value>(value: Value, field: string, left?: null): Value =>
  JSON.parse(JSON.stringify(value, (key, each: unknown) => (key === field ? left : each))) as Value; // it is the same besides

const agent = "ai-sdk/openai/7";
const fields = ["annotations", "status", "id", "model", "created_at"];
const gaps = fields.flatMap(
  (field) =>
    [
      { field, left: undefined },
      { field, left: null },
    ] as const,
);

describe.each(gaps)("a response without $field: $left", ({ field, left }) => {
  const clients = sdks.filter(({ format }) => format === "openai-responses");

  test.each(clients)("is read by $name", async ({ hear }) => {
    for (const toolCalls of ["hold", "stream"] as const) {
      const options = { logger: false, toolCalls } as const;
      const fetch = answering(numbered(without(healthy, field, left)));
      const heard = await hear(base, wrapFetch({ ...options, fetch }));
      expect(heard.text).toBe("Hé");
      expect(heard.calls.map(({ name, arguments: given }) => [name, objectOf(given)])).toEqual([
        ["find_book", { title: "Emma" }],
      ]);
      expect(heard.error).toBeUndefined();
      const text = answering(numbered(without(spoken, field, left)));
      expect(await hear(base, wrapFetch({ ...options, fetch: text }))).toEqual({ text: "Hé", calls: [] });
    }
  });

  test("gets what clients look for, and its text does not wait for it", async () => {
    if (!["annotations", "status"].includes(field)) return; // others are missed by the AI SDK only
    for (const way of ways) {
      const given = without(healthy, field, left);
      const { text, told } = await passedThrough({ ...responses, ...way, body: numbered(given), agent });
      const frames = text.split("\n\n").filter((each) => each !== "");
      const [last] = frames.slice(-1).map((each) => JSON.parse(each.replace(/^.*\ndata: /u, "")) as Typed);
      expect(last).toMatchObject({ response: { status: "completed", output: [{ content: [part("Hé")] }, call] } });
      expect(told).toMatchObject([{ isChanged: true, anomalies: [] }]);
      const half = await passedThrough({ ...responses, ...way, body: numbered(given.slice(0, 6)) });
      expect(half.text).toContain('"delta":"Hé"');
    }
  });
});

test("a call without a status passes as it came, where nobody misses it", async () => {
  const item = (value: Typed): Typed => (value["item"] === undefined ? value : without(value, "status"));
  const body = numbered(healthy.map(item));
  for (const way of ways) {
    expect(await passedThrough({ ...responses, ...way, body })).toEqual({ text: body, error: undefined, told: [] });
  }
});

describe.each([null, "", "0"])("events with the index %j", (index) => {
  const clients = sdks.filter(({ format }) => format === "openai-responses");
  const indexed = (value: Typed): Typed => ("output_index" in value ? { ...value, output_index: index } : value);

  test.each(clients)("are those of the item that they name: $name", async ({ hear }) => {
    const calling = healthy.slice(saying.length, -1).map((value) => ({ ...value, output_index: 0 }));
    const frames = [...saying.slice(0, 2), ...calling, ended(call)];
    for (const place of frames.keys()) {
      const body = numbered(frames.with(place, indexed(frames[place] ?? call)));
      const fetch = wrapFetch({ logger: false, fetch: answering(body) });
      expect((await hear(base, fetch)).calls).toHaveLength(1);
    }
    for (const place of spoken.keys()) {
      const body = numbered(spoken.with(place, indexed(spoken[place] ?? said)));
      const fetch = wrapFetch({ logger: false, fetch: answering(body) });
      expect(await hear(base, fetch)).toEqual({ text: "Hé", calls: [] });
    }
  });
});

describe("a response that is one body", () => {
  const request = { model: "m", input: "Hi." };
  const type = "application/json";
  const whole = { ...responseOf("completed", said, call), usage };

  test.each([whole, { ...responseOf("completed", said), usage }, { ...responseOf("incomplete", said), usage }])(
    "passes as it came where nothing is missing",
    async (given) => {
      const body = JSON.stringify(given);
      expect(await passedThrough({ url, request, body, type, agent })).toMatchObject({
        text: body,
        told: [],
      });
    },
  );

  test.each(["annotations", "status"].flatMap((field) => [[field, undefined] as const, [field, null] as const]))(
    "gets what clients look for: %s",
    async (field, left) => {
      const { text, told } = await passedThrough({
        url,
        request,
        body: JSON.stringify(without(whole, field, left)),
        type,
      });
      expect(JSON.parse(text)).toMatchObject({ status: "completed", output: [{ content: [part("Hé")] }, call] });
      expect(told).toMatchObject([{ isChanged: true }]);
    },
  );

  test.each(["id", "model", "created_at"])(
    "gets its %s for the AI SDK, which is told, and for nobody else",
    async (field) => {
      for (const items of [[said], [said, call]]) {
        const { [field]: _, ...left }: Readonly<Record<string, unknown>> = {
          ...responseOf("completed", ...items),
          usage,
        };
        const body = JSON.stringify(left);
        const { text, told } = await passedThrough({ url, request, body, type, agent });
        expect(JSON.parse(text)).toEqual({ ...left, [field]: { id: "resp_0", model: "m", created_at: 0 }[field] });
        expect(told).toMatchObject([{ isChanged: true }]);
        expect(await passedThrough({ url, request, body, type })).toMatchObject({ text: body, told: [] });
      }
    },
  );

  test("keeps its end where it was cut off", async () => {
    const given = without(responseOf("incomplete", said), "annotations");
    const { text } = await passedThrough({ url, request, body: JSON.stringify(given), type });
    expect(JSON.parse(text)).toMatchObject({ status: "incomplete", output: [{ content: [part("Hé")] }] });
  });

  test.each(aiPrograms.filter(({ format }) => format === "openai-responses"))(
    "is read by $name, without ids and roles too",
    async ({ sdk, modelOf }) => {
      for (const { field, left } of [...gaps, { field: "role", left: undefined }]) {
        const body = JSON.stringify(without(whole, field, left));
        const model = modelOf(base, wrapFetch({ logger: false, fetch: answering(body, type) }));
        const inputSchema = sdk.jsonSchema<object>({ type: "object", properties: {}, additionalProperties: true });
        const answer = await sdk.generateText({
          model,
          prompt: "Hi.",
          maxRetries: 0,
          tools: { find_book: { inputSchema } },
        });
        expect(answer.text).toBe("Hé");
        expect(answer.toolCalls).toMatchObject([{ toolCallId: "call_1", input: { title: "Emma" } }]);
        expect(answer.response.timestamp.getTime()).not.toBeNaN();
      }
    },
  );

  test("is read by @langchain/openai", async () => {
    const fetch = wrapFetch({ logger: false, fetch: answering(JSON.stringify(without(whole, "annotations")), type) });
    const configuration = { baseURL: base, fetch };
    const model = new ChatOpenAI({ model: "m", apiKey: "none", maxRetries: 0, useResponsesApi: true, configuration });
    expect((await model.invoke("Hi.")).text).toBe("Hé");
  });
});

const objectOf = (given: unknown): unknown => (typeof given === "string" ? (JSON.parse(given) as unknown) : given);
