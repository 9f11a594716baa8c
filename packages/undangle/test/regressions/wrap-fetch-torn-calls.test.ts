import { describe, expect, test } from "vitest";
import { assemble } from "undangle";
import type { StreamFormat } from "undangle";

import { begun, calls, callsIn, end, more, role } from "../clients/chat-chunks.ts";
import { argumentsIn, called, ending, json, start, stop, text, use } from "../clients/message-events.ts";
import { chunk, done, events, passedThrough, ways } from "../clients/passed-through.ts";
import { chat, messages } from "../clients/requests.ts";

/** A call was lost with an event that is no JSON and does not say what it was, or was told to be over though it lacked a piece. */
const gemini = {
  url: "https://host.example/v1beta/models/g:streamGenerateContent?alt=sse",
  request: { contents: [] },
} as const;

const part = (given: object, besides: object = {}): object => ({
  candidates: [{ content: { role: "model", parts: [given] }, index: 0, ...besides }],
});

const says = chunk({ content: "Hé" });
const run = calls(begun(0, "run", '{"a":1}'));
const unnumbered = (given: object): object => calls({ ...given, index: undefined });

/** An event that a line break has come into, and one that ends there. */
const broken = (given: object, word: string): string => events(given).replace(word, `${word}\n`);
const cut = (given: object, word: string): string => events(given).replace(new RegExp(`(${word}).*`, "u"), "$1");

/** What a client sees of a turn that is over. */
const isOver = /"finish_reason":"|event: message_stop|"finishReason"/u;

const inChat: readonly (readonly [string, string])[] = [
  ["the only one, with a line break", events(role, says, broken(run, "tool_ca"), end, done)],
  ["the only one", events(role, says, cut(run, '"tool_ca'), end, done)],
  ["the only one, before it says anything", events(role, says, cut(run, '"delta":\\{'), end, done)],
  ["the only one, in its first key", events(role, says, cut(run, '\\{"i'), end, done)],
  ["the only one, behind the reason", events(role, says, end, cut(run, '"choices":'), done)],
  [
    "the head of one without arguments",
    events(role, says, cut(calls(begun(0, "run")), '"delta"'), calls(more(0, "{}")), end, done),
  ],
  [
    "the head of one without an index",
    events(
      role,
      says,
      cut(unnumbered(begun(0, "run")), '"delta"'),
      unnumbered(more(0, '{"a":1}')),
      unnumbered(begun(1, "list")),
      end,
      done,
    ),
  ],
  ["the first of two", events(role, says, cut(run, '"delta"'), calls(begun(1, "list", '{"b":1}')), end, done)],
  [
    "its head, behind a mark of the end",
    events(role, says, done, cut(run, '"name"'), calls(more(0, '{"a":1}')), end, done),
  ],
  ["one behind the reason", events(role, says, run, end, cut(calls(begun(1, "run", '{"b":1}')), '"name"'), done)],
];

const elsewhere: readonly (readonly [string, StreamFormat, object & { url: string; request: object }, string])[] = [
  [
    "Gemini's call, with a line break",
    "gemini",
    gemini,
    events(
      part({ text: "Hé" }),
      broken(part({ functionCall: { name: "run", args: {} } }), '"p'),
      part({ text: "" }, { finishReason: "STOP" }),
    ),
  ],
  [
    "Gemini's call",
    "gemini",
    gemini,
    events(
      part({ text: "Hé" }),
      cut(part({ functionCall: { name: "run", args: {} } }), '"p'),
      part({ text: "" }, { finishReason: "STOP" }),
    ),
  ],
  [
    "the beginning of Anthropic's, which has no arguments",
    "anthropic",
    messages,
    `${start}${text(0, "Hé")}${use(1, "run").replace(/("content_block":).*/u, "$1")}${stop(1)}${ending}`,
  ],
];

describe.each(ways)("a call that is lost with what is no JSON, in pieces of $size, calls: $toolCalls", (way) => {
  test.each(inChat)("is not left out: %s", async (_what, body) => {
    const passed = await passedThrough({ ...chat, ...way, body });
    expect(passed.error).toContain("an event is not JSON");
    expect(passed.text).toContain("Hé");
    expect(passed.told.map(({ error }) => error)).toEqual(["an event is not JSON"]);
  });

  test.each(elsewhere)("nor elsewhere: %s", async (_what, _format, asked, body) => {
    const passed = await passedThrough({ ...asked, ...way, body });
    expect(passed.error).toBeDefined();
    expect(passed.text).toContain("Hé");
    expect(passed.text).not.toMatch(isOver);
  });

  test.each([
    ["chat", chat, events(role, says, cut(says, '"content":"H'), says, chunk({}, "stop"), done)],
    ["chat, before a call", chat, events(role, says, cut(says, '"content":"H'), run, end, done)],
    [
      "chat, in an event that may be anything",
      chat,
      events(role, says, cut(says, '"delta"'), says, chunk({}, "stop"), done),
    ],
    ["chat, with a line break", chat, events(role, says, broken(says, "H"), says, chunk({}, "stop"), done)],
    [
      "Gemini",
      gemini,
      events(part({ text: "Hé" }), cut(part({ text: "Hé" }), '"H'), part({ text: "Hé" }, { finishReason: "STOP" })),
    ],
  ])("words that are lost cost no answer: %s", async (_what, asked, body) => {
    const passed = await passedThrough({ ...asked, ...way, body });
    expect(passed.error).toBeUndefined();
    expect(passed.text.match(/Hé/gu)).toHaveLength(body.includes("run") ? 1 : 2);
    expect(callsIn(passed.text)).toEqual(body.includes("run") ? ['run {"a":1}'] : []);
    expect(passed.told.flatMap(({ anomalies }) => anomalies?.map(({ kind }) => kind))).toContain("frame-not-json");
  });
});

describe("whichever event is no JSON from somewhere on", () => {
  const streams = [
    ["chat", chat, [role, says, calls(begun(0, "run")), calls(more(0, '{"a":1}')), calls(begun(1, "list", "{}")), end]],
    [
      "Gemini",
      gemini,
      [
        part({ text: "Hé" }),
        part({ functionCall: { name: "run", args: { a: 1 } } }),
        part({ text: "" }, { finishReason: "STOP" }),
      ],
    ],
  ] as const;

  test.each(streams)("no client of %s reads other calls without an error", async (_format, asked, frames) => {
    const read = (body: string): string => callsIn(body).join() + [...body.matchAll(/functionCall/gu)].join();
    const whole = read(events(...frames));
    const wrong: string[] = [];
    for (const [i, frame] of frames.entries()) {
      const data = events(frame).trimEnd();
      for (let at = 7; at < data.length - 1; at += 3) {
        for (const damaged of [`${data.slice(0, at)}\n\n`, `${data.slice(0, at)}\n${data.slice(at)}\n\n`]) {
          const body = events(...frames.slice(0, i), damaged, ...frames.slice(i + 1));
          const passed = await passedThrough({ ...asked, body, toolCalls: at % 2 === 1 ? "hold" : "stream" });
          if (passed.error === undefined && read(passed.text) !== whole) wrong.push(damaged);
        }
      }
    }
    expect(wrong).toEqual([]);
  });
});

describe.each(ways)("a call that lacks a piece, in pieces of $size, calls: $toolCalls", (way) => {
  const first = called(0, "run", '{"a":', "1}");
  const head = `${use(1, "run")}${json(1, '{"command":"rm -rf /srv')}`;
  const lost = json(1, "/tmp/cache").replace(/(cac).*/u, "$1");
  const tail = `${json(1, '"}')}${stop(1)}`;

  test.each([
    ["another call", called(2, "run", '{"b":', "1}")],
    ["a string", text(2, "Hé")],
    ["nothing", ""],
  ])("is over for no client of Anthropic's: behind it comes %s", async (_what, behind) => {
    const passed = await passedThrough({
      ...messages,
      ...way,
      body: `${start}${first}${head}${lost}${tail}${behind}${ending}`,
    });
    expect(passed.error).toContain("an event is not JSON");
    expect(passed.text).toContain(stop(0));
    expect(passed.text).not.toContain(stop(1));
    expect(argumentsIn(passed.text)).toBe(way.toolCalls === "hold" ? '{"a":1}' : '{"a":1}{"command":"rm -rf /srv');
  });

  test("nor is one that seemed whole before", async () => {
    const behind = `${called(1, "run", '{"b":1}').replace(stop(1), lost + stop(1))}${called(2, "run", '{"c":', "1}")}`;
    const passed = await passedThrough({ ...messages, ...way, body: `${start}${first}${behind}${ending}` });
    expect(passed.error).toContain("an event is not JSON");
    expect(passed.text).not.toContain(stop(1));
  });

  test("does not go on for clients of chat, some of which take it for whole as soon as it is JSON", async () => {
    const pieces = [
      calls(begun(0, "run")),
      calls(more(0, '{"command":"rm -rf /srv')),
      cut(calls(more(0, "/tmp")), "/tm"),
    ];
    const body = events(role, ...pieces, calls(more(0, '"}')), says, end, done);
    const passed = await passedThrough({ ...chat, ...way, body });
    expect(passed.error).toContain("an event is not JSON");
    expect(passed.text).toContain("Hé");
    expect(callsIn(passed.text)).toEqual(way.toolCalls === "hold" ? [] : ['run {"command":"rm -rf /srv']);
  });
});

describe.each(ways)("arguments that nobody can place, in pieces of $size, calls: $toolCalls", (way) => {
  const heads = calls({ ...begun(0, "run"), index: undefined }, { ...begun(1, "list"), index: undefined });
  const given = (index: number | undefined, ...texts: readonly string[]): object =>
    calls(...texts.map((each) => ({ ...more(0, each), index })));

  test.each([
    ["behind the heads", events(role, says, heads, given(undefined, '{"a":1}', '{"b":2}'), end, done)],
    [
      "before the names, all with one index and one id",
      events(
        role,
        says,
        calls({ ...begun(0, ""), id: "call_a" }),
        given(0, '{"a":1}'),
        calls({ index: 0, function: { name: "run" } }),
        calls({ ...begun(0, "", '{"b":2}'), id: "call_a" }),
        calls({ index: 0, function: { name: "list" } }),
        end,
        done,
      ),
    ],
  ])("may be those of a call that has none: %s", async (_what, body) => {
    const passed = await passedThrough({ ...chat, ...way, body });
    expect(passed.error).toContain("The response was cut off");
    expect(passed.text).toContain("Hé");
    expect(passed.text).not.toMatch(isOver);
  });

  test("are those of the call that they name", async () => {
    const body = events(
      role,
      calls(begun(0, "run"), begun(1, "list")),
      given(1, '{"a":1}'),
      given(1, '{"a":1}'),
      end,
      done,
    );
    const passed = await passedThrough({ ...chat, ...way, body });
    expect(passed.error).toBeUndefined();
    expect(callsIn(passed.text)).toEqual(["run {}", 'list {"a":1}']);
  });
});

describe("assemble", () => {
  test.each([...inChat.map(([what, body]) => [what, "openai-chat", {}, body] as const), ...elsewhere])(
    "says that the turn is not whole: %s",
    async (_what, format, _asked, body) => {
      const { complete, anomalies } = await assemble([body], { format }).turn();
      expect(complete).toBe(false);
      expect(anomalies.map(({ kind }) => kind)).toContain("frame-not-json");
    },
  );
});
