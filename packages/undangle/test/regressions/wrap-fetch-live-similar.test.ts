import { describe, expect, test } from "vitest";

import { chunk, done, events, passedThrough, responseOf, ways } from "../clients/passed-through.ts";

/**
 * Calls that pass while they come: a piece that begins with all that came before was always taken for arguments that are sent again,
 * a first piece of one sign and a name in pieces never were mended, and text beside the end was lost.
 */
const chat = {
  url: "https://host.example/v1/chat/completions",
  request: { model: "m", stream: true, messages: [] },
} as const;
const messages = {
  url: "https://host.example/v1/messages",
  request: { model: "m", stream: true, max_tokens: 9, messages: [] },
} as const;
const responses = {
  url: "https://host.example/v1/responses",
  request: { model: "m", stream: true, input: "Hi." },
} as const;
const live = { toolCalls: "stream" } as const;

const role = chunk({ role: "assistant", content: null });
const end = chunk({}, "tool_calls");
const calls = (...entries: readonly object[]): object => chunk({ tool_calls: entries });
const begun = (index: number, name: string, given = ""): object => ({
  index,
  id: `call_${index}`,
  type: "function",
  function: { name, arguments: given },
});
const more = (index: number, given: string): object => ({ index, function: { arguments: given } });
const chatOf = (...pieces: readonly string[]): string =>
  events(role, calls(begun(0, "f")), ...pieces.map((piece) => calls(more(0, piece))), end, done);

interface Event {
  readonly type: string;
  readonly [key: string]: unknown;
}
const named = (event: Event): string => `event: ${event.type}\n${events(event)}`;
const message = { id: "m", type: "message", role: "assistant", model: "c", content: [], usage: { input_tokens: 1 } };
const start = named({ type: "message_start", message });
const block = (index: number, ...pieces: readonly string[]): string =>
  [
    { type: "content_block_start", index, content_block: { type: "tool_use", id: `t${index}`, name: "f", input: {} } },
    ...pieces.map((piece) => ({
      type: "content_block_delta",
      index,
      delta: { type: "input_json_delta", partial_json: piece },
    })),
    { type: "content_block_stop", index },
  ]
    .map(named)
    .join("");
const ending =
  named({
    type: "message_delta",
    delta: { stop_reason: "tool_use", stop_sequence: null },
    usage: { output_tokens: 1 },
  }) + named({ type: "message_stop" });

const item = (index: number, status: string, given: string): Readonly<Record<string, unknown>> => ({
  type: "function_call",
  id: `fc_${index}`,
  call_id: `call_${index}`,
  name: "f",
  arguments: given,
  status,
});
const itemEvents = (index: number, text: string, ...pieces: readonly string[]): readonly Event[] => [
  { type: "response.output_item.added", output_index: index, item: item(index, "in_progress", "") },
  ...pieces.map((delta) => ({
    type: "response.function_call_arguments.delta",
    item_id: `fc_${index}`,
    output_index: index,
    delta,
  })),
  {
    type: "response.function_call_arguments.done",
    item_id: `fc_${index}`,
    output_index: index,
    arguments: text,
  },
  { type: "response.output_item.done", output_index: index, item: item(index, "completed", text) },
];
const responseWith = (text: string, ...told: readonly Event[]): string => {
  const count = told.filter(({ type }) => type === "response.output_item.added").length;
  const output = Array.from({ length: count }, (_, index) => item(index, "completed", text));
  return [
    { type: "response.created", response: responseOf("in_progress") },
    ...told,
    { type: "response.completed", response: responseOf("completed", ...output) },
  ]
    .map(named)
    .join("");
};

const nested = '{"a":{"a":1}}';
const [one, other] = [itemEvents(0, nested, '{"a":', '{"a":1', "}}"), itemEvents(1, nested, '{"a":', '{"a":1}}')];

describe.each(ways)("passes as it came in pieces of $size, calls: $toolCalls", (way) => {
  test.each([
    ["a piece that begins with the one before, in chat", chat, chatOf('{"a":', '{"a":1}}')],
    ["one that could say it again until the next one comes", chat, chatOf('{"a":', '{"a":1}', "}")],
    ["pieces that are the same", chat, chatOf('{"a":', '{"a":', '{"a":', "1}}}")],
    ["a list", chat, chatOf('{"a":[1,', '{"a":[1,2]}', "]}")],
    ["an empty object and a blank behind it", chat, chatOf("{}", " ")],
    ["JSON in a string", chat, chatOf('{"a":"', '{\\"a\\":"', "}")],
    [
      "another call between the pieces",
      chat,
      events(
        role,
        calls(begun(0, "f", '{"a":')),
        calls(more(0, '{"a":1'), begun(1, "g", '{"b":')),
        calls(more(1, '{"b":[')),
        calls(more(0, "}}")),
        calls(more(1, "]}}")),
        end,
        done,
      ),
    ],
    [
      "Anthropic's blocks",
      messages,
      start + block(0, '{"a":', '{"a":1', "}}") + block(1, '{"a":', '{"a":1}}') + ending,
    ],
    ["OpenAI's items", responses, responseWith(nested, ...one, ...other)],
    [
      "items side by side",
      responses,
      responseWith(nested, ...one.slice(0, 3), ...other.slice(0, 2), ...one.slice(3), ...other.slice(2)),
    ],
  ])("%s", async (_, asked, body) => {
    expect(await passedThrough({ ...asked, ...way, body })).toEqual({ text: body, error: undefined, told: [] });
  });
});

test("so does text that comes while a call is doubtful", async () => {
  const said = chunk({ content: "Hé" });
  const pieces = [calls(begun(0, "f", '{"a":')), calls(more(0, '{"a":1')), said, calls(more(0, "}}"))];
  const body = events(role, ...pieces, end, done);
  expect(await passedThrough({ ...chat, ...live, body })).toEqual({ text: body, error: undefined, told: [] });
});

test("text that waited is said when the call turns out to be sent again", async () => {
  const said = chunk({ content: "Hé" });
  const pieces = [calls(begun(0, "f", '{"a":')), calls(more(0, '{"a":1')), said, calls(more(0, '{"a":12}'))];
  const { text, error } = await passedThrough({ ...chat, ...live, body: events(role, ...pieces, end, done) });
  expect(error).toBeUndefined();
  expect(callsIn(text)).toEqual(['f {"a":12}']);
  expect(text.match(/"content":"Hé"/gu)).toHaveLength(1);
});

test("a call is doubtful no longer than until a piece tells", async () => {
  const body = chatOf('{"a":', '{"a":1', ',"b":2', "}}");
  const cut = body.slice(0, body.indexOf(events(calls(more(0, "}}")))));
  const { text, error } = await passedThrough({ ...chat, ...live, body: cut });
  expect(error).toMatch(/cut off/u);
  expect(text).toBe(cut);
});

describe("arguments that are sent again with each piece are those that were meant", () => {
  const meant = '{"a":{"a":1}}';
  test.each([
    ["from a place on at which they could go on", '{"a":', '{"a":{"a":', meant],
    ["in two pieces", '{"a":', meant],
    ["from one sign on", "{", '{"a"', '{"a":{', meant],
    ["from one sign on, in two pieces", "{", meant],
    ["some of them twice", "{", "{", '{"a":', '{"a":', meant, meant],
    ["with blanks before them", " ", " {", ' {"a":', ` ${meant}`],
  ])("%s", async (_, ...pieces) => {
    const inChat = await passedThrough({ ...chat, ...live, body: chatOf(...pieces) });
    expect([inChat.error, ...callsIn(inChat.text)].map(withoutBlanks)).toEqual([undefined, `f${meant}`]);
    const body = start + block(0, ...pieces) + block(1, ...pieces) + ending;
    const inBlocks = await passedThrough({ ...messages, ...live, body });
    const said = [...inBlocks.text.matchAll(/"partial_json":("(?:\\.|[^"])*")/gu)].map(([, text = ""]) => text);
    expect(inBlocks.error).toBeUndefined();
    expect(withoutBlanks(said.map((text) => String(JSON.parse(text))).join(""))).toBe(meant + meant);
    const told = itemEvents(0, meant, ...pieces);
    const inItems = await passedThrough({ ...responses, ...live, body: responseWith(meant, ...told) });
    expect(inItems.error).toBeUndefined();
    const deltas = [...inItems.text.matchAll(/"delta":("(?:\\.|[^"])*")/gu)].map(([, text = ""]) => text);
    expect(withoutBlanks(deltas.map((text) => String(JSON.parse(text))).join(""))).toBe(meant);
  });
});

test.each([[["{", '{"', 'a":1', "}}"]], [["{", "{", '"a":1}', "}"]], [["{", '{"a":1}', "}"]]])(
  "arguments that are no JSON stay as they came: %j",
  async (pieces) => {
    for (const { toolCalls } of ways) {
      const { text, error } = await passedThrough({ ...chat, toolCalls, body: chatOf(...pieces) });
      expect(error).toBeUndefined();
      expect(callsIn(text)).toEqual(['f {{"a":1}}']);
    }
  },
);

test("the end of a block that is no JSON does not pass before the turn is over", async () => {
  const { text, error } = await passedThrough({ ...messages, ...live, body: start + block(0, "{a:1}") });
  expect(error).toMatch(/cut off/u);
  expect(text).not.toContain("content_block_stop");
});

describe("a name that comes in pieces is one name, where no tools are known", () => {
  const piece = (name: string, given = ""): object => ({ index: 0, function: { name, arguments: given } });
  test.each([
    ["two", [calls(begun(0, "rea")), calls(piece("d_file", '{"x":1}'))]],
    ["three", [calls(begun(0, "rea")), calls(piece("d_")), calls(piece("file")), calls(more(0, '{"x":1}'))]],
    ["two, and nothing else", [calls(begun(0, "rea")), calls(piece("d_file")), calls(more(0, '{"x":1}'))]],
  ])("%s", async (_, pieces) => {
    const body = events(role, ...pieces, calls(begun(1, "other", '{"y":1}')), end, done);
    const { text, error } = await passedThrough({ ...chat, ...live, body });
    expect(error).toBeUndefined();
    expect(callsIn(text)).toEqual(['read_file {"x":1}', 'other {"y":1}']);
  });

  test("a whole one passes as it came", async () => {
    const said = chunk({ content: "Hé" });
    const [first, second] = [calls(begun(0, "f")), calls(begun(1, "g"))];
    const rest = [calls(more(0, '{"x":1}')), calls(more(1, "{}"))];
    for (const begins of [[first, second], [calls(begun(0, "f"), begun(1, "g"))], [first, said, second]]) {
      const body = events(role, ...begins, ...rest, end, done);
      expect(await passedThrough({ ...chat, ...live, body })).toEqual({ text: body, error: undefined, told: [] });
    }
  });
});

test("text beside the end of the turn is not lost where calls are written", async () => {
  const nameless = { ...begun(0, "f", '{"x":1}'), id: null };
  const body = events(role, calls(nameless), chunk({ content: "Bye." }, "tool_calls"), done);
  const { text, error } = await passedThrough({ ...chat, ...live, body });
  expect(error).toBeUndefined();
  expect(text.match(/"content":"Bye\."/gu)).toHaveLength(1);
});

const withoutBlanks = (text: string | undefined): string | undefined => text?.replace(/\s/gu, "");

/** The calls that a client of chat adds up, each with its name and its arguments. */
function callsIn(got: string): readonly string[] {
  const found: string[] = [];
  for (const [, entry = ""] of got.matchAll(/"tool_calls":\[(.*?)\]\},/gu)) {
    const entries = JSON.parse(`[${entry}]`) as readonly { index: number; function: Record<string, string> }[]; // as written above
    for (const { index, function: called } of entries) {
      found[index] ??= `${called["name"]} `;
      found[index] += called["arguments"] ?? "";
    }
  }
  return found;
}
