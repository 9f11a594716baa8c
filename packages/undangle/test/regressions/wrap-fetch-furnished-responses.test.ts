import { ChatOpenAI } from "@langchain/openai";
import { wrapFetch } from "undangle";
import { describe, expect, test } from "vitest";

import { aiPrograms } from "../clients/ai-sdk.ts";
import { events, passedThrough, responseOf, ways } from "../clients/passed-through.ts";
import { sdks } from "../clients/sdks.ts";

/** Servers that follow OpenAI's Responses leave fields out without which clients do not read what they say. */
type Wire = Readonly<Record<string, unknown>>;

const url = "https://host.example/v1/responses";
const base = "https://host.example/v1";
const args = '{"title":"Emma"}';
const part = (text: string): Wire => ({ type: "output_text", text, annotations: [] });
const message = { type: "message", id: "msg_1", role: "assistant", status: "completed", content: [part("Hé")] };
const call = { type: "function_call", id: "fc_1", call_id: "call_1", name: "find_book", arguments: args };
const called = { ...call, status: "completed" };
const at = { item_id: "msg_1", output_index: 0, content_index: 0 };
const argued = { item_id: "fc_1", output_index: 1 };
const saying: readonly Wire[] = [
  { type: "response.created", response: responseOf("in_progress") },
  { type: "response.in_progress", response: responseOf("in_progress") },
  { type: "response.output_item.added", output_index: 0, item: { ...message, status: "in_progress", content: [] } },
  { type: "response.content_part.added", ...at, part: part("") },
  { type: "response.output_text.delta", ...at, delta: "Hé", logprobs: [] },
  { type: "response.output_text.done", ...at, text: "Hé", logprobs: [] },
  { type: "response.content_part.done", ...at, part: part("Hé") },
  { type: "response.output_item.done", output_index: 0, item: message },
];
const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
const ended = (...output: readonly Wire[]): Wire => ({
  type: "response.completed",
  response: { ...responseOf("completed", ...output), usage },
});
const spoken = [...saying, ended(message)];
const healthy = [
  ...saying,
  { type: "response.output_item.added", output_index: 1, item: { ...called, status: "in_progress", arguments: "" } },
  { type: "response.function_call_arguments.delta", ...argued, delta: args },
  { type: "response.function_call_arguments.done", ...argued, arguments: args },
  { type: "response.output_item.done", output_index: 1, item: called },
  ended(message, called),
];

const streamOf = (frames: readonly Wire[]): string =>
  frames.map((value, i) => `event: ${String(value["type"])}\n${events({ ...value, sequence_number: i })}`).join("");

/** A value without a field, or with null in it, wherever the field stands. */
const without = <Value>(value: Value, field: string, left?: null): Value =>
  JSON.parse(JSON.stringify(value, (key, each: unknown) => (key === field ? left : each))) as Value; // it is the same besides

const answering = (body: string, type: string) => async () => new Response(body, { headers: { "content-type": type } });

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
      const fetch = answering(streamOf(without(healthy, field, left)), "text/event-stream");
      const heard = await hear(base, wrapFetch({ ...options, fetch }));
      expect(heard.text).toBe("Hé");
      expect(heard.calls.map(({ name, arguments: given }) => [name, objectOf(given)])).toEqual([
        ["find_book", { title: "Emma" }],
      ]);
      expect(heard.error).toBeUndefined();
      const text = answering(streamOf(without(spoken, field, left)), "text/event-stream");
      expect(await hear(base, wrapFetch({ ...options, fetch: text }))).toEqual({ text: "Hé", calls: [] });
    }
  });

  test("gets what clients look for, and its text does not wait for it", async () => {
    if (!["annotations", "status"].includes(field)) return; // others are missed by the AI SDK only
    for (const way of ways) {
      const request = { model: "m", stream: true, input: "Hi." };
      const given = without(healthy, field, left);
      const { text, told } = await passedThrough({ url, request, ...way, body: streamOf(given), agent });
      const frames = text.split("\n\n").filter((each) => each !== "");
      const [last] = frames.slice(-1).map((each) => JSON.parse(each.replace(/^.*\ndata: /u, "")) as Wire);
      expect(last).toMatchObject({ response: { status: "completed", output: [{ content: [part("Hé")] }, called] } });
      expect(told).toMatchObject([{ isChanged: true, anomalies: [] }]);
      const half = await passedThrough({ url, request, ...way, body: streamOf(given.slice(0, 6)) });
      expect(half.text).toContain('"delta":"Hé"');
    }
  });
});

test("a call without a status passes as it came, where nobody misses it", async () => {
  const item = (value: Wire): Wire => (value["item"] === undefined ? value : without(value, "status"));
  const body = streamOf(healthy.map(item));
  for (const way of ways) {
    const request = { model: "m", stream: true, input: "Hi." };
    expect(await passedThrough({ url, request, ...way, body })).toEqual({ text: body, error: undefined, told: [] });
  }
});

describe.each([null, "", "0"])("events with the index %j", (index) => {
  const clients = sdks.filter(({ format }) => format === "openai-responses");
  const indexed = (value: Wire): Wire => ("output_index" in value ? { ...value, output_index: index } : value);

  test.each(clients)("are those of the item that they name: $name", async ({ hear }) => {
    const calling = healthy.slice(saying.length, -1).map((value) => ({ ...value, output_index: 0 }));
    const frames = [...saying.slice(0, 2), ...calling, ended(called)];
    for (const place of frames.keys()) {
      const body = streamOf(frames.with(place, indexed(frames[place] ?? {})));
      const fetch = wrapFetch({ logger: false, fetch: answering(body, "text/event-stream") });
      expect((await hear(base, fetch)).calls).toHaveLength(1);
    }
    for (const place of spoken.keys()) {
      const body = streamOf(spoken.with(place, indexed(spoken[place] ?? {})));
      const fetch = wrapFetch({ logger: false, fetch: answering(body, "text/event-stream") });
      expect(await hear(base, fetch)).toEqual({ text: "Hé", calls: [] });
    }
  });
});

describe("a response that is one body", () => {
  const request = { model: "m", input: "Hi." };
  const type = "application/json";
  const whole = { ...responseOf("completed", message, called), usage };

  test.each([whole, { ...responseOf("completed", message), usage }, { ...responseOf("incomplete", message), usage }])(
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
      expect(JSON.parse(text)).toMatchObject({ status: "completed", output: [{ content: [part("Hé")] }, called] });
      expect(told).toMatchObject([{ isChanged: true }]);
    },
  );

  test("keeps its end where it was cut off", async () => {
    const given = without(responseOf("incomplete", message), "annotations");
    const { text } = await passedThrough({ url, request, body: JSON.stringify(given), type });
    expect(JSON.parse(text)).toMatchObject({ status: "incomplete", output: [{ content: [part("Hé")] }] });
  });

  test.each(aiPrograms.filter(({ format }) => format === "openai-responses"))(
    "is read by $name, without ids and roles too",
    async ({ sdk, modelOf }) => {
      for (const field of ["annotations", "status", "id", "role"]) {
        const body = JSON.stringify(without(whole, field));
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
