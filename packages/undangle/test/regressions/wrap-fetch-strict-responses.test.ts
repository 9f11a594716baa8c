import OpenAI from "openai";
import { wrapFetch } from "undangle";
import { describe, expect, test } from "vitest";

import { events, passedThrough, responseOf, ways } from "../clients/passed-through.ts";

/** OpenAI's SDK from 7 on, and the AI SDK from 7 on, want one id of the response, and that of the item in every event. */
type Wire = Readonly<Record<string, unknown>>;

const url = "https://host.example/v1/responses";
const request = { model: "m", stream: true, input: "Hi." };
const call = { id: "fc_1", type: "function_call", call_id: "call_1", name: "f", status: "completed" };
const message = { id: "msg_1", type: "message", role: "assistant", status: "completed" };
const part = (text: string): Wire => ({ type: "output_text", text, annotations: [] });
const said = { ...message, content: [part("Hé")] };
const called = { ...call, arguments: '{"x":1}' };
const at = { item_id: "msg_1", output_index: 0, content_index: 0 };
const argued = { item_id: "fc_1", output_index: 1 };
const healthy: readonly Wire[] = [
  { type: "response.created", response: responseOf("in_progress") },
  { type: "response.in_progress", response: responseOf("in_progress") },
  { type: "response.output_item.added", output_index: 0, item: { ...message, status: "in_progress", content: [] } },
  { type: "response.content_part.added", ...at, part: part("") },
  { type: "response.output_text.delta", ...at, delta: "Hé", logprobs: [] },
  { type: "response.output_text.done", ...at, text: "Hé", logprobs: [] },
  { type: "response.content_part.done", ...at, part: part("Hé") },
  { type: "response.output_item.done", output_index: 0, item: said },
  { type: "response.output_item.added", output_index: 1, item: { ...call, status: "in_progress", arguments: "" } },
  { type: "response.function_call_arguments.delta", ...argued, delta: '{"x":1}' },
  { type: "response.function_call_arguments.done", ...argued, arguments: '{"x":1}' },
  { type: "response.output_item.done", output_index: 1, item: called },
  { type: "response.completed", response: responseOf("completed", said, called) },
];

const streamOf = (frames: readonly Wire[]): string =>
  frames.map((value, i) => `event: ${String(value["type"])}\n${events({ ...value, sequence_number: i })}`).join("");
const withoutItemId = ({ item_id: _id, ...rest }: Wire): Wire => rest;
const isAbout = (what: string) => (value: Wire) => String(value["type"]).includes(what);
const renamed = (value: Wire, i: number): Wire =>
  i === 0 || value["response"] === undefined
    ? value
    : { ...value, response: { ...(value["response"] as Wire), id: `resp_${i}` } }; // as above

describe.each(ways)("in pieces of $size, calls: $toolCalls", (way) => {
  test("what OpenAI sends passes as it came", async () => {
    const body = streamOf(healthy);
    expect(await passedThrough({ url, request, ...way, body })).toEqual({ text: body, error: undefined, told: [] });
  });

  test.each([
    ["no beginning", healthy.slice(2)],
    ["an id that changes", healthy.map(renamed)],
    ["no item ids at all", healthy.map(withoutItemId)],
    [
      "none in the pieces of the call",
      healthy.map((each) => (isAbout("arguments")(each) ? withoutItemId(each) : each)),
    ],
    [
      "none at the end of the call",
      healthy.map((each) => (isAbout("arguments.done")(each) ? withoutItemId(each) : each)),
    ],
    ["none at the end of the text", healthy.map((each) => (isAbout("_text.done")(each) ? withoutItemId(each) : each))],
    ["none at the part of the text", healthy.map((each) => (isAbout("_part")(each) ? withoutItemId(each) : each))],
  ])("OpenAI's SDK reads a response with %s", async (_, frames) => {
    const body = streamOf(frames);
    const { text, told } = await passedThrough({ url, request, ...way, body });
    expect(text).not.toBe(body);
    expect(told).toHaveLength(1);
    const given = async (): Promise<Response> =>
      new Response(body, { headers: { "content-type": "text/event-stream" } });
    const fetch = wrapFetch({ logger: false, toolCalls: way.toolCalls, fetch: given });
    const client = new OpenAI({ apiKey: "none", baseURL: "https://host.example/v1", fetch, maxRetries: 0 });
    const { output, output_text: words } = await client.responses.stream({ model: "m", input: "Hi." }).finalResponse();
    expect(words).toBe("Hé");
    expect(output.at(-1)).toMatchObject({ type: "function_call", call_id: "call_1", arguments: '{"x":1}' });
  });
});
