import { assemble, wrapFetch } from "undangle";
import { describe, expect, test } from "vitest";

import { events, passedThrough, responseOf, ways } from "../clients/passed-through.ts";
import { responses } from "../clients/requests.ts";
import { part, said } from "../clients/response-events.ts";
import { sdks } from "../clients/sdks.ts";

/** An event of Responses under a wrong index gave a call the arguments of another one, or made two of it. */
type Wire = Readonly<Record<string, unknown>>;

const response = (status: string, output: readonly Wire[] = []): Wire => responseOf(status, ...output);

interface Call {
  readonly item: Wire;
  readonly added: Wire;
  readonly piece: Wire;
  readonly done: Wire;
  readonly over: Wire;
}

/** A call and its events. */
function callAt(index: number, name: string, args: string, callId = `call_${index}`): Call {
  const item = { type: "function_call", id: `fc_${index}`, call_id: callId, name, arguments: args };
  const place = { output_index: index, item_id: item.id };
  const begun = { ...item, arguments: "", status: "in_progress" };
  const whole = { ...item, status: "completed" };
  return {
    item: whole,
    added: { type: "response.output_item.added", output_index: index, item: begun },
    piece: { type: "response.function_call_arguments.delta", ...place, delta: args },
    done: { type: "response.function_call_arguments.done", ...place, arguments: args },
    over: { type: "response.output_item.done", output_index: index, item: whole },
  };
}

const [one, other] = [callAt(0, "find_book", '{"a":1}'), callAt(1, "open_file", '{"b":2}')];
const first: Wire = { type: "response.created", response: response("in_progress") };
const last = (...calls: readonly Call[]): Wire => ({
  type: "response.completed",
  response: response(
    "completed",
    calls.map(({ item }) => item),
  ),
});
const at = (index: number, event: Wire): Wire => ({ ...event, output_index: index });
const bodyOf = (all: readonly Wire[]): string =>
  all.map((event, i) => `event: ${String(event["type"])}\n${events({ ...event, sequence_number: i })}`).join("");

const [{ added, piece, done, over }, next] = [one, other];
const both = [last(one, other)];
const none = [last()];
const rest = [next.added, next.piece, next.done, next.over];

/** With one event that is not where it should be. */
const streams: readonly (readonly [what: string, behind: readonly Wire[]])[] = [
  [
    "arguments under the index of a call that is done",
    [added, piece, done, over, next.added, next.piece, at(0, next.done), next.over, ...both],
  ],
  [
    "arguments under the index of a call that is open",
    [added, next.added, piece, done, next.piece, at(0, next.done), next.over, ...both],
  ],
  [
    "the same, where nothing else has them",
    [added, piece, done, over, next.added, at(0, next.piece), at(0, next.done), ...none],
  ],
  ["a call shown under another index", [at(1, added), piece, done, over, ...rest, ...both]],
  ["a call shown behind its arguments, under another index", [piece, at(1, added), done, over, ...rest, ...both]],
  ["a call shown under another index, and no answer as a whole", [at(7, added), piece, done, over, ...rest, ...none]],
  ["a piece behind the end of a call", [added, piece, done, over, piece, ...rest, ...both]],
  ["the last piece behind the end of a call", [added, done, over, piece, ...rest, ...both]],
  [
    "arguments of an item that nobody has shown",
    [added, piece, { ...done, item_id: "fc_9", output_index: 9 }, over, ...rest, ...both],
  ],
];

const meant = [
  ["call_0", "find_book", { a: 1 }],
  ["call_1", "open_file", { b: 2 }],
];

describe.each(streams)("%s", (_, behind) => {
  const all = [first, ...behind];

  test("is read as it was meant", async () => {
    const { calls, complete } = await assemble(all, { format: "openai-responses" }).turn();
    const read = calls.map(({ id, name, arguments: args }) => [id, name, args]);
    expect(complete).toBe(true);
    expect(new Set(read)).toEqual(new Set(meant)); // a wrong index may change their order
    expect(read).toHaveLength(meant.length);
  });

  test.each(ways)("is no other call, in pieces of $size, calls: $toolCalls", async (way) => {
    const { text, error } = await passedThrough({ ...responses, ...way, body: bodyOf(all) });
    const finished = [...text.matchAll(/^data: (\{"type":"response\.output_item\.done".*)$/gmu)].map(
      ([, data = ""]) => (JSON.parse(data) as { readonly item: Wire }).item,
    );
    const calls = finished.map((item): readonly unknown[] => [
      item["call_id"],
      item["name"],
      JSON.parse(String(item["arguments"])),
    ]);
    for (const call of calls) expect(meant).toContainEqual(call);
    expect(new Set(calls.map(([id]) => id)).size).toBe(calls.length);
    // Of what passed while it came, what the client has may be such that it cannot be made right any more.
    expect(error === undefined ? calls.length === 2 : way.toolCalls === "stream").toBe(true);
  });

  const clients = sdks.filter(({ format }) => format === "openai-responses");
  test.each(clients)("$name hears it as it was meant", async ({ hear }) => {
    const headers = { "content-type": "text/event-stream" };
    const fetch = wrapFetch({ logger: false, fetch: async () => new Response(bodyOf(all), { headers }) });
    const { calls } = await hear("https://host.example/v1", fetch);
    const heard = calls.map(({ id, name, arguments: args }) => [
      id,
      name,
      typeof args === "string" ? (JSON.parse(args) as unknown) : args,
    ]);
    expect(heard).toEqual(meant);
  });
});

describe("calls that share an id", () => {
  const twin = (name: string, args: string): Call => callAt(1, name, args, "call_0");
  const turnOf = (second: Call, end: Wire) =>
    assemble([first, added, piece, done, over, second.added, second.piece, second.done, second.over, end], {
      format: "openai-responses",
    }).turn();

  test.each([
    ["of other tools", twin("open_file", '{"a":1}'), 2],
    ["with other arguments", twin("find_book", '{"a":2}'), 2],
    ["that say the same", twin("find_book", '{"a":1}'), 1],
  ])("%s", async (_, second, count) => {
    for (const end of [last(one, second), last()]) {
      const { calls } = await turnOf(second, end);
      expect(calls).toHaveLength(count);
      expect(new Set(calls.map(({ id }) => id)).size).toBe(count);
    }
  });
});

describe("all under the index 0, told apart by the ids of their items alone", () => {
  const nameless = (value: unknown): Wire =>
    JSON.parse(JSON.stringify(value, (key, each: unknown) => (key === "call_id" ? undefined : each))) as Wire;
  const named = ({ done: event, item }: Call): Wire => ({ ...event, name: item["name"] });
  const pieces = (call: Call): readonly Wire[] => [call.piece, named(call)];
  const whole = (call: Call): readonly Wire[] => [call.added, call.piece, call.done, call.over];
  const sent: readonly (readonly [what: string, all: readonly Wire[]])[] = [
    ["without call ids", [...whole(one), ...whole(other), ...both].map(nameless)],
    ["without call ids, and no answer as a whole", [...whole(one), ...whole(other), ...none].map(nameless)],
    ["never shown", [...pieces(one), ...pieces(other), ...both]],
    ["never shown, and no answer as a whole", [...pieces(one), ...pieces(other), ...none]],
  ];
  const cases = sent.flatMap(([what, all]) => ways.map((way) => [what, way, all] as const));

  test.each(cases)("%s, %o", async (_, way, all) => {
    const body = bodyOf([first, ...all.map((event) => ("output_index" in event ? at(0, event) : event))]);
    const { text, error } = await passedThrough({ ...responses, ...way, body });
    expect(error).toBeUndefined();
    const { calls } = await assemble(text, { format: "openai-responses" }).turn();
    expect(calls).toMatchObject([
      { name: "find_book", arguments: { a: 1 } },
      { name: "open_file", arguments: { b: 2 } },
    ]);
  });
});

describe("a call that begins before the text of the message in front of it, and no beginning of the response", () => {
  const place = { item_id: said["id"], output_index: 0, content_index: 0 };
  const all: readonly Wire[] = [
    { type: "response.output_item.added", output_index: 0, item: { ...said, status: "in_progress", content: [] } },
    next.added,
    next.piece,
    { type: "response.content_part.added", ...place, part: part("") },
    { type: "response.output_text.delta", ...place, delta: "Hé" },
    { type: "response.output_text.done", ...place, text: "Hé" },
    { type: "response.content_part.done", ...place, part: part("Hé") },
    { type: "response.output_item.done", output_index: 0, item: said },
    next.done,
    next.over,
    { type: "response.completed", response: response("completed", [said, next.item]) },
  ];

  test.each(ways)("has no parts, in pieces of $size, calls: $toolCalls", async (way) => {
    const { text, error } = await passedThrough({ ...responses, ...way, body: bodyOf(all) });
    expect(error).toBeUndefined();
    const owners = [...text.matchAll(/"response\.content_part\.added","item_id":"(.*?)"/gu)].map(([, id]) => id);
    expect(owners).toHaveLength(1);
    expect(text).toContain(
      `"type":"message","status":"in_progress","role":"assistant","content":[],"id":"${owners[0]}"`,
    );
  });

  const clients = sdks.filter(({ format }) => format === "openai-responses");
  test.each(clients)("$name hears both, live", async ({ hear }) => {
    const headers = { "content-type": "text/event-stream" };
    const fetch = async () => new Response(bodyOf(all), { headers });
    const { text, calls } = await hear(
      "https://host.example/v1",
      wrapFetch({ logger: false, toolCalls: "stream", fetch }),
    );
    expect(text).toBe("Hé");
    expect(calls).toMatchObject([{ id: "call_1", name: "open_file" }]);
  });
});
