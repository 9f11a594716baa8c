import { describe, expect, test } from "vitest";
import { assemble } from "undangle";
import type { AssembledTurn, StreamFormat } from "undangle";

import { begun, calls, callsIn, end, more, role } from "../clients/chat-chunks.ts";
import { argumentsIn, called, ending, json, over, reason, start, stop, text, use } from "../clients/message-events.ts";
import { chunk, done, events, passedThrough, ways } from "../clients/passed-through.ts";
import { chat, messages, responses } from "../clients/requests.ts";
import { called as item, calling, ended, numbered, saying } from "../clients/response-events.ts";

/** A chunk that is no JSON was left out of the middle of a call, which was presented as whole without it. */
const gemini = {
  url: "https://host.example/v1beta/models/g:streamGenerateContent?alt=sse",
  request: { contents: [] },
} as const;
const part = (given: object, besides: object = {}): object => ({
  candidates: [{ content: { role: "model", parts: [given] }, index: 0, ...besides }],
});
const search = part({ functionCall: { name: "search", args: { q: "x" } } });

/** Events of which the last one has lost its end. */
const cut = (given: object | string, by = 12): string => `${events(given).trimEnd().slice(0, -by)}\n\n`;
const says = chunk({ content: "Hé" });
const head = calls(begun(0, "run"));
const before = more(0, '{"command":"rm -rf /srv');
const lost = calls(more(0, "/tmp/cache"));
const after = calls(more(0, '"}'));

/** What a client sees of a turn that is over. */
const isOver = /"finish_reason":"|event: message_stop|"finishReason"/u;

const inChat: readonly (readonly [string, string])[] = [
  ["a piece", events(role, says, head, calls(before), cut(lost), after, end, done)],
  ["a piece with a raw tab in it", events(role, says, head, calls(before), tabbed(lost), after, end, done)],
  ["a piece over several lines", events(role, says, head, calls(before), pretty(lost), after, end, done)],
  ["all arguments", events(role, says, head, cut(lost), end, done)],
  ["the reason", events(role, says, calls(begun(0, "run", "{}")), cut(chunk({}, "length")), done)],
  ["the head of another", twoCalls(cut(calls(begun(1, "run"))), calls(more(1, '{"a":1}')))],
  ["another one", twoCalls(cut(calls(begun(1, "run", '{"a":1}'))))],
  ["its head", events(role, says, cut(head), calls(before), after, end, done)],
  ["all of it", events(role, says, cut(calls(begun(0, "run", "{}"))), end, done)],
  ["the beginning, and there is no reason", events(cut(role), says, calls(begun(0, "run", "{}")), done)],
];

function tabbed(given: object): string {
  return events(given).replace("/tmp", "/t\tmp");
}

function pretty(given: object): string {
  return `data: ${JSON.stringify(given, null, 1)}\n\n`;
}

function twoCalls(...second: readonly (object | string)[]): string {
  return events(role, says, calls(begun(0, "run", '{"a":0}')), ...second, end, done);
}

const elsewhere: readonly (readonly [string, StreamFormat, object & { url: string; request: object }, string])[] = [
  [
    "a piece in Anthropic's format",
    "anthropic",
    messages,
    `${start}${text(0, "Hé")}${use(1, "run")}${json(1, '{"a":"/srv')}${cut(json(1, "/tmp"))}${json(1, '"}')}${stop(1)}${ending}`,
  ],
  [
    "all arguments in Anthropic's format",
    "anthropic",
    messages,
    `${start}${text(0, "Hé")}${use(1, "run")}${cut(json(1, '{"a":1}'))}${stop(1)}${ending}`,
  ],
  [
    "the reason of Anthropic's, behind a call without arguments",
    "anthropic",
    messages,
    `${start}${text(0, "Hé")}${use(1, "run")}${stop(1)}${cut(reason("max_tokens"))}${over}`,
  ],
  [
    "the beginning of Anthropic's block",
    "anthropic",
    messages,
    `${start}${text(0, "Hé")}${cut(use(1, "run"))}${json(1, '{"a":1}')}${stop(1)}${ending}`,
  ],
  [
    "Gemini's call",
    "gemini",
    gemini,
    events(part({ text: "Hé" }), cut(search), part({ text: "" }, { finishReason: "STOP" })),
  ],
  [
    "another one of Gemini's",
    "gemini",
    gemini,
    events(part({ text: "Hé" }), search, cut(search), part({ text: "" }, { finishReason: "STOP" })),
  ],
];

const turnOf = (body: string, format: StreamFormat): Promise<AssembledTurn> => assemble([body], { format }).turn();

describe.each(ways)("a call that lacks what is no JSON, in pieces of $size, calls: $toolCalls", (way) => {
  test.each(inChat)("is never presented: %s", async (_what, body) => {
    const passed = await passedThrough({ ...chat, ...way, body });
    expect(passed.error).toContain("The response was cut off");
    expect(passed.text).toContain("Hé");
    expect(passed.text).not.toMatch(isOver);
    expect(passed.told.map(({ side }) => side)).toEqual(["response"]);
  });

  test.each(elsewhere)("nor elsewhere: %s", async (_what, _format, asked, body) => {
    const passed = await passedThrough({ ...asked, ...way, body });
    expect(passed.error).toBeDefined();
    expect(passed.text).toContain("Hé");
    expect(passed.text).not.toMatch(isOver);
    expect(passed.told.map(({ error }) => typeof error)).toEqual(["string"]);
  });

  test("calls that were over before it stay, where the format says so", async () => {
    const body = `${start}${called(0, "run", '{"a":1}')}${use(1, "run")}${cut(json(1, '{"a":2}'))}${stop(1)}${ending}`;
    const passed = await passedThrough({ ...messages, ...way, body });
    expect(passed.error).toContain("an event is not JSON");
    expect(passed.text).toContain(called(0, "run", '{"a":1}'));
  });

  test.each([
    ["a sign of life", "data: ping\n\n"],
    ["a named one", "event: heartbeat\ndata: {now}\n\n"],
    ["an empty event", "data:\n\n"],
    ["a comment", ": {\n\n"],
  ])("%s costs no call", async (_what, sign) => {
    const body = events(role, says, head, sign, calls(before), sign, after, sign, end, done);
    const passed = await passedThrough({ ...chat, ...way, body });
    expect(passed.error).toBeUndefined();
    expect(callsIn(passed.text)).toEqual(['run {"command":"rm -rf /srv"}']);
  });

  test.each([
    ["between texts", events(role, says, cut(says), says, chunk({}, "stop"), done)],
    ["before a call", events(role, says, cut(says), calls(begun(0, "run", '{"a":1}')), end, done)],
    ["behind the reason", events(role, says, calls(begun(0, "run", '{"a":1}')), end, cut(chunk({})), done)],
  ])("what no call lacks is left out: %s", async (_where, body) => {
    const passed = await passedThrough({ ...chat, ...way, body });
    expect(passed.error).toBeUndefined();
    expect(passed.told.flatMap(({ anomalies }) => anomalies?.map(({ kind }) => kind))).toContain("frame-not-json");
    expect(callsIn(passed.text)).toEqual(body.includes("run") ? ['run {"a":1}'] : []);
  });

  test.each([
    ["two in one line", (one: string, two: string) => `data: ${one}${two}\n\n`],
    ["two in one line, as events", (one: string, two: string) => `data: ${one}data: ${two}\n\n`],
    ["a comma behind it", (one: string, two: string) => `data: ${one},\n\ndata: ${two}\n\n`],
    ["a mark before it", (one: string, two: string) => `data: \uFEFF${one}\n\ndata: ${two}\n\n`],
    ["no field", (one: string, two: string) => `${one}\n\ndata: ${two}\n\n`],
    ["a field that is nearly one", (one: string, two: string) => `Data: ${one}\n\n data: ${two}\n\n`],
    ["a NUL behind it", (one: string, two: string) => `data: ${one}\0\n\ndata: ${two}\n\n`],
  ])("what can be read all the same is read: %s", async (_what, written) => {
    const pieces = written(JSON.stringify(lost), JSON.stringify(calls(more(0, "/x"))));
    const body = events(role, says, head, calls(before), pieces, after, end, done);
    const passed = await passedThrough({ ...chat, ...way, body });
    expect(passed.error).toBeUndefined();
    expect(callsIn(passed.text)).toEqual(['run {"command":"rm -rf /srv/tmp/cache/x"}']);
    const [call] = (await turnOf(body, "openai-chat")).calls;
    expect(call?.arguments).toEqual({ command: "rm -rf /srv/tmp/cache/x" });
  });
});

/** Healthy streams with a text and two calls, event by event, and what a client reads in one of them. */
const healthy = {
  chat: {
    asked: chat,
    frames: [
      role,
      says,
      head,
      calls(before),
      lost,
      after,
      calls(begun(1, "run", '{"a":')),
      calls(more(1, "1}")),
      end,
      done,
    ],
    read: (body: string) => callsIn(body).join(),
  },
  messages: {
    asked: messages,
    frames:
      `${start}${text(0, "Hé")}${called(1, "run", '{"a":', "1}")}${called(2, "run", '{"b":', "2", "3}")}${ending}`.split(
        /(?<=\n\n)/u,
      ),
    read: argumentsIn,
  },
  responses: {
    asked: responses,
    frames: numbered([
      ...saying,
      ...calling(1, item(1, "run", '{"a":1}'), '{"a":', "1}"),
      ...calling(2, item(2, "run", '{"b":23}'), '{"b":', "2", "3}"),
      ended(item(1, "run", '{"a":1}'), item(2, "run", '{"b":23}')),
    ]).split(/(?<=\n\n)/u),
    read: (body: string) => [...new Set(body.match(/"arguments":"(?:[^"\\\n]|\\.)+"(?=.*\}$)/gmu))].join(),
  },
} as const;

describe.each(Object.entries(healthy))("whichever event of %s is no JSON", (_format, { asked, frames, read }) => {
  const bodies = frames.flatMap((frame, i) =>
    [2, 7, 25, 60].map((by) =>
      events(...frames.slice(0, i), frame === done ? done : cut(frame, by), ...frames.slice(i + 1)),
    ),
  );

  test.each(["hold", "stream"] as const)(
    "no client reads other calls without an error, calls: %s",
    async (toolCalls) => {
      const whole = read(events(...frames));
      const wrong: string[] = [];
      for (const body of bodies) {
        const passed = await passedThrough({ ...asked, body, toolCalls, size: 64 });
        if (passed.error === undefined && read(passed.text) !== whole) wrong.push(body);
      }
      expect(wrong).toEqual([]);
    },
  );
});

test("the arguments of a response are told again when they are done: nothing is lost", async () => {
  const call = item(1, "run", '{"a":"/srv/tmp"}');
  const whole = numbered([...saying, ...calling(1, call, '{"a":"/srv', "/tmp", '"}'), ended(call)]);
  const body = whole.replace(/("delta":"\/tmp").*/u, "$1");
  const turn = await turnOf(body, "openai-responses");
  expect(turn.calls.map(({ arguments: args }) => args)).toEqual([{ a: "/srv/tmp" }]);
  const passed = await passedThrough({ ...responses, body });
  expect(passed.text).not.toContain('"/srv"');
});

describe("assemble", () => {
  test.each([...inChat.map(([what, body]) => [what, "openai-chat", {}, body] as const), ...elsewhere])(
    "says that the turn is not whole: %s",
    async (_what, format, _asked, body) => {
      const { complete, calls: found, anomalies } = await turnOf(body, format);
      expect(complete).toBe(false);
      expect(anomalies.map(({ kind }) => kind)).toContain("frame-not-json");
      const states = format === "gemini" ? [] : found.map(({ state }) => state); // whose calls come whole
      expect(states).not.toContain("ready");
    },
  );

  test("nor is one whose choices are counted up with every chunk", async () => {
    const pieces = [role, says, head, calls(before), lost, after, end];
    const counted = pieces.map((each, index) => events(each).replace('"index":0', `"index":${index}`));
    const whole = await turnOf(events(...counted, done), "openai-chat");
    expect([whole.complete, whole.calls.map(({ state }) => state)]).toEqual([true, ["ready"]]);
    const torn = await turnOf(events(...counted.toSpliced(4, 1, cut(counted[4] ?? "")), done), "openai-chat");
    expect([torn.complete, torn.calls.map(({ state }) => state)]).toEqual([false, ["truncated"]]);
  });

  test("a response whose call is cut off where it is no JSON has none that is ready", async () => {
    const call = item(1, "run", '{"a":"/srv/tmp"}');
    const [added, one, , three] = calling(1, call, '{"a":"/srv', "/tmp", '"}');
    const body = `${numbered([...saying, added ?? call, one ?? call])}${cut(lost)}${numbered([three ?? call])}`;
    const { complete, calls: found } = await turnOf(`${body}${numbered([ended()])}`, "openai-responses");
    expect([complete, found.map(({ state }) => state)]).toEqual([false, ["truncated"]]);
  });
});

/** Half a value that no event holds took all events behind it for more of itself. */
describe.each(ways)("half a value in pieces of $size, calls: $toolCalls", (way) => {
  const ends = chunk({}, "stop");

  test.each([
    ["between events", [role, '{"x":\n\n', says, ends, done], [role, says, ends, done]],
    ["in a line of somebody's log", [role, "[info] {worker\n\n", says, ends, done], [role, says, ends, done]],
    ["at the end", [role, says, ends, '{"x":\n\n'], [role, says, ends]],
  ])("is left out %s, and told", async (_, frames, others) => {
    const passed = await passedThrough({ ...chat, ...way, body: events(...frames) });
    expect(passed).toMatchObject({ text: events(...others), error: undefined, told: [{ isChanged: true }] });
  });
});
