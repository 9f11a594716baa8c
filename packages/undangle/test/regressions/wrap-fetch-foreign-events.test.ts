import OpenAI from "openai";
import { wrapFetch } from "undangle";
import { describe, expect, test } from "vitest";

import { events, passedThrough, responseOf, ways } from "../clients/passed-through.ts";
import { responses } from "../clients/requests.ts";
import { usage } from "../clients/response-events.ts";
import { sdks } from "../clients/sdks.ts";

/** An event that OpenAI's SDK does not know, a provider's own or a newer one, killed `responses.stream()`. */
type Wire = Readonly<Record<string, unknown>>;

const response = (status: string, output: readonly Wire[] = []): Wire => ({ ...responseOf(status, ...output), usage });
const part = { type: "output_text", text: "", annotations: [] };
const message = { type: "message", id: "msg_1", role: "assistant", status: "in_progress", content: [] };
const call = { type: "function_call", id: "fc_1", call_id: "call_1", name: "find_book", status: "in_progress" };
const search = { type: "web_search_call", id: "ws_1", status: "in_progress" };
const said = { ...message, status: "completed", content: [{ ...part, text: "Hé" }] };
const called = { ...call, status: "completed", arguments: '{"a":1}' };
const at = { output_index: 0, item_id: "msg_1" };
const [shown, done] = ["response.output_item.added", "response.output_item.done"];

/** A healthy stream, with events between its own. */
function bodyWith(strange: readonly Wire[], place: number): string {
  const all: Wire[] = [
    { type: "response.created", response: response("in_progress") },
    { type: shown, output_index: 0, item: message },
    { type: "response.content_part.added", ...at, content_index: 0, part },
    { type: "response.output_text.delta", ...at, content_index: 0, delta: "Hé", logprobs: [] },
    { type: "response.output_text.done", ...at, content_index: 0, text: "Hé", logprobs: [] },
    { type: "response.content_part.done", ...at, content_index: 0, part: { ...part, text: "Hé" } },
    { type: done, output_index: 0, item: said },
    { type: shown, output_index: 1, item: { ...call, arguments: "" } },
    { type: "response.function_call_arguments.delta", output_index: 1, item_id: "fc_1", delta: '{"a":1}' },
    { type: "response.function_call_arguments.done", output_index: 1, item_id: "fc_1", arguments: '{"a":1}' },
    { type: done, output_index: 1, item: called },
    { type: "response.completed", response: response("completed", [said, called]) },
  ];
  all.splice(place, 0, ...strange);
  return all.map(sent).join("");
}

const sent = (event: Wire, number: number): string => {
  const { type } = event;
  return (
    (typeof type === "string" ? `event: ${type}\n` : "") + events({ ...event, sequence_number: Math.max(0, number) })
  );
};

const foreign: readonly Wire[] = [
  { type: "response.foo.delta", delta: "x" },
  { type: "response.foo.delta", delta: "x", ...at },
  { type: "response.foo.done", output_index: 9, item_id: "none" },
  { type: "response.reasoning_part.added", ...at, content_index: 0, part: { type: "reasoning_text", text: "" } },
  { type: "response.metadata", metadata: { a: 1 } },
  { type: "codex.rate_limits", rate_limits: [] },
  { type: "ping" },
  { status: "thinking" },
];
const places = [0, 4, 8, 11];
const clients = sdks.filter(({ format }) => format === "openai-responses");
const respondWith = (body: string) => async (): Promise<Response> =>
  new Response(body, { headers: { "content-type": "text/event-stream" } });

describe.each(clients)("$name", ({ hear }) => {
  test.each(["hold", "stream"] as const)("lives with events that it does not know, calls: %s", async (toolCalls) => {
    for (const event of [...foreign, { type: "keepalive" }, { type: "response.web_search_call.searching" }]) {
      for (const place of [0, 8]) {
        const fetch = wrapFetch({ logger: false, toolCalls, fetch: respondWith(bodyWith([event], place)) });
        const { text, calls } = await hear("https://host.example/v1", fetch);
        expect({ event, place, text, calls: calls.map(({ id, name }) => [id, name]) }).toEqual({
          event,
          place,
          text: "Hé",
          calls: [["call_1", "find_book"]],
        });
      }
    }
  });
});

describe.each(ways)("in pieces of $size, calls: $toolCalls", (way) => {
  test("who only reads the events gets them as they came", async () => {
    for (const event of foreign) {
      for (const place of places) {
        const body = bodyWith([event], place);
        expect(await passedThrough({ ...responses, ...way, body })).toEqual({ text: body, error: undefined, told: [] });
      }
    }
  });

  const helper = { "x-stainless-helper-method": "stream", "x-stainless-package-version": "7.53.0" };

  test("whoever would trip over them gets them as comments, at their places", async () => {
    for (const event of foreign) {
      for (const place of places) {
        const body = bodyWith([event], place);
        const { text, error, told } = await passedThrough({ ...responses, ...way, headers: helper, body });
        const number = { ...event, sequence_number: place };
        expect({ text, error }).toEqual({
          text: body.replace(sent(event, place), `: ${JSON.stringify(number)}\n\n`),
          error: undefined,
        });
        expect(told).toHaveLength(1);
      }
    }
  });

  test("what it knows comes as it came", async () => {
    for (const event of [{ type: "keepalive" }, { type: "response.audio.delta", delta: "AA" }]) {
      const body = bodyWith([event], 8);
      const got = await passedThrough({ ...responses, ...way, headers: helper, body });
      expect(got).toEqual({ text: body, error: undefined, told: [] });
    }
  });

  test.each(["6.45.0", "5.0.0"])("version %s does not know signs of life", async (version) => {
    const body = bodyWith([{ type: "keepalive" }], 4);
    const headers = { ...helper, "x-stainless-package-version": version };
    const { text } = await passedThrough({ ...responses, ...way, headers, body });
    expect(text).toBe(body.replace(sent({ type: "keepalive" }, 4), ': {"type":"keepalive","sequence_number":4}\n\n'));
  });

  test("the commands of a shell, which have no id, come as they came", async () => {
    const shell = { type: "shell_call", id: "sh_1", call_id: "c", status: "in_progress", action: { commands: [] } };
    const ran = { ...shell, status: "completed", action: { commands: ["ls"] } };
    const command = { output_index: 0, command_index: 0 };
    const body = [
      { type: "response.created", response: response("in_progress") },
      { type: shown, output_index: 0, item: shell },
      { type: "response.shell_call_command.added", ...command, command: "" },
      { type: "response.shell_call_command.delta", ...command, delta: "ls" },
      { type: "response.shell_call_command.done", ...command, command: "ls" },
      { type: done, output_index: 0, item: ran },
      { type: "response.completed", response: response("completed", [ran]) },
    ]
      .map(sent)
      .join("");
    for (const headers of [{}, helper]) {
      const got = await passedThrough({ ...responses, ...way, headers, body });
      expect(got).toEqual({ text: body, error: undefined, told: [] });
    }
  });
});

test("the progress of an item that the client has comes as it came", async () => {
  const searched = { ...search, status: "completed" };
  const told = { output_index: 0, item_id: "ws_1" };
  const body = [
    { type: "response.created", response: response("in_progress") },
    { type: shown, output_index: 0, item: search },
    { type: "response.web_search_call.searching", ...told },
    { type: "response.web_search_call.completed", ...told },
    { type: done, output_index: 0, item: searched },
    { type: "response.completed", response: response("completed", [searched]) },
  ]
    .map(sent)
    .join("");
  const headers = { "x-stainless-helper-method": "stream" };
  const got = await passedThrough({ ...responses, headers, body });
  expect(got).toEqual({ text: body, error: undefined, told: [] });
});

test("a program that reads the events of OpenAI's SDK gets those that it does not know", async () => {
  const fetch = wrapFetch({ logger: false, fetch: respondWith(bodyWith([{ type: "response.foo.delta" }], 4)) });
  const client = new OpenAI({ apiKey: "none", maxRetries: 0, fetch });
  const types: string[] = [];
  for await (const { type } of await client.responses.create({ model: "m", input: "Hi.", stream: true }))
    types.push(type);
  expect(types).toContain("response.foo.delta");
});
