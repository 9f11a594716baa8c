import { describe, expect, test } from "vitest";

import { begun, calls, callsIn, end, more, role } from "../clients/chat-chunks.ts";
import { argumentsIn, called, ending, start } from "../clients/message-events.ts";
import { chunk, done, events, named, passedThrough, responseOf, ways } from "../clients/passed-through.ts";
import type { Typed } from "../clients/passed-through.ts";
import { chat, messages, responses } from "../clients/requests.ts";
import { called as item, calling } from "../clients/response-events.ts";

/**
 * Calls that pass while they come: a piece that begins with all that came before was always taken for arguments that are sent again,
 * a first piece of one sign and a name in pieces never were mended, and text beside the end was lost.
 */
const live = { toolCalls: "stream" } as const;

const chatOf = (...pieces: readonly string[]): string =>
  events(role, calls(begun(0, "f")), ...pieces.map((piece) => calls(more(0, piece))), end, done);

const block = (index: number, ...pieces: readonly string[]): string => called(index, "f", ...pieces);

const itemEvents = (index: number, text: string, ...pieces: readonly string[]): readonly Typed[] =>
  calling(index, item(index, "f", text), ...pieces);
const responseWith = (text: string, ...told: readonly Typed[]): string => {
  const count = told.filter(({ type }) => type === "response.output_item.added").length;
  const output = Array.from({ length: count }, (_, index) => item(index, "f", text));
  return named({ type: "response.created", response: responseOf("in_progress") }, ...told, {
    type: "response.completed",
    response: responseOf("completed", ...output),
  });
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
    expect(inBlocks.error).toBeUndefined();
    expect(withoutBlanks(argumentsIn(inBlocks.text))).toBe(meant + meant);
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
