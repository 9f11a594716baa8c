import OpenAI from "openai";
import { wrapFetch } from "undangle";
import { describe, expect, test } from "vitest";

import { answering, passedThrough, ways } from "../clients/passed-through.ts";
import type { Typed } from "../clients/passed-through.ts";
import { responses } from "../clients/requests.ts";
import { called, calling, ended, numbered, said, saying } from "../clients/response-events.ts";

/** OpenAI's SDK from 7 on, and the AI SDK from 7 on, want one id of the response, and that of the item in every event. */
const call = called(1, "f", '{"x":1}');
const healthy: readonly Typed[] = [...saying, ...calling(1, call, '{"x":1}'), ended(said, call)];

const withoutItemId = ({ item_id: _id, ...rest }: Typed): Typed => rest;
const isAbout =
  (what: string) =>
  ({ type }: Typed) =>
    type.includes(what);
const renamed = (value: Typed, i: number): Typed =>
  i === 0 || value["response"] === undefined
    ? value
    : { ...value, response: { ...(value["response"] as object), id: `resp_${i}` } }; // as above

describe.each(ways)("in pieces of $size, calls: $toolCalls", (way) => {
  test("what OpenAI sends passes as it came", async () => {
    const body = numbered(healthy);
    expect(await passedThrough({ ...responses, ...way, body })).toEqual({ text: body, error: undefined, told: [] });
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
    const body = numbered(frames);
    const { text, told } = await passedThrough({ ...responses, ...way, body });
    expect(text).not.toBe(body);
    expect(told).toHaveLength(1);
    const fetch = wrapFetch({ logger: false, toolCalls: way.toolCalls, fetch: answering(body) });
    const client = new OpenAI({ apiKey: "none", baseURL: "https://host.example/v1", fetch, maxRetries: 0 });
    const { output, output_text: words } = await client.responses.stream({ model: "m", input: "Hi." }).finalResponse();
    expect(words).toBe("Hé");
    expect(output.at(-1)).toMatchObject({ type: "function_call", call_id: "call_1", arguments: '{"x":1}' });
  });
});
