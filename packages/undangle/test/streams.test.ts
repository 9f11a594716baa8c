import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { assemble } from "undangle";
import type { AssembledCall, AssembledTurn, StreamFormat, StreamPart } from "undangle";
import { describe, expect, test } from "vitest";
import { allStreams } from "./streams/all.ts";
import type { StreamFixture } from "./streams/build.ts";
import { brokenAfter, bytesOf, framesOf, inShort, open, partsOf, readable } from "./streams/feed.ts";

const framed = allStreams.filter(({ frames }) => frames !== undefined);

describe("streams as servers send them", () => {
  test.each(allStreams)("$kind, $id: whole", async (fixture) => {
    const turn = await open(fixture, fixture.sent).turn();
    expect(inShort(turn)).toEqual(fixture.expected);
    expect(turn.anomalies.map(({ kind }) => kind)).toEqual(expect.arrayContaining([...fixture.anomalies]));
  });

  test.each(allStreams)("$id: in pieces, from every kind of source", async (fixture) => {
    const { sent, expected } = fixture;
    const whole = await open(fixture, sent).turn();
    for (const size of [7, 1]) expect(await open(fixture, bytesOf(sent, size)).turn()).toEqual(whole);
    expect(await open(fixture, sent.split("")).turn()).toEqual(whole);
    expect(inShort(await open(fixture, readable(sent)).turn())).toEqual(expected);
    expect(inShort(await open(fixture, new Response(readable(sent))).turn())).toEqual(expected);
  });

  test.each(framed)("$id: as frames that somebody else has parsed", async (fixture) => {
    expect(inShort(await open(fixture, framesOf(fixture)).turn())).toEqual(fixture.expected);
  });

  test.each(allStreams)("$id: the parts tell the turn", async (fixture) => {
    const stream = open(fixture, bytesOf(fixture.sent, 50));
    expectAgreement(await partsOf(stream));
    expect(inShort(await stream.turn())).toEqual(fixture.expected);
  });

  test.each(allStreams)(
    "$id: wherever the socket breaks, nothing runs that is not whole, and nothing is lost",
    async (fixture) => {
      const { length } = new TextEncoder().encode(fixture.sent);
      const whole = await open(fixture, fixture.sent).turn();
      const step = Math.max(1, Math.floor(length / 60));
      let before = 0;
      for (let count = 0; count < length; count += step) {
        const turn = await open(fixture, brokenAfter(fixture.sent, count)).turn();
        const faults = wrongAfterCut(turn, { whole, fixture, count });
        expect({ count, faults }).toEqual({ count, faults: [] });
        const size = sizeOf(turn);
        expect(size > 0 || before === 0).toBe(true);
        before = size;
      }
    },
  );

  test("there are two of every kind", () => {
    const kinds = Map.groupBy(allStreams, ({ kind }) => kind);
    expect([...kinds].filter(([, fixtures]) => fixtures.length < 2).map(([kind]) => kind)).toEqual([]);
    expect(new Set(allStreams.map(({ kind, id }) => `${kind} ${id}`)).size).toBe(allStreams.length);
  });
});

const sizeOf = ({ text, reasoning, calls }: AssembledTurn): number =>
  text.length + reasoning.length + calls.reduce((sum, { name, raw }) => sum + name.length + raw.length, 0);

/** What must not be true of a turn whose socket broke behind a number of bytes. */
function wrongAfterCut(
  turn: AssembledTurn,
  { whole, fixture, count }: { readonly whole: AssembledTurn; readonly fixture: StreamFixture; readonly count: number },
): string[] {
  const received = new TextDecoder().decode(new TextEncoder().encode(fixture.sent).slice(0, count));
  const canRun = ({ state }: AssembledCall): boolean => state === "ready" || state === "repaired";
  const isLeak = fixture.options.recoverLeaked === true;
  const isOneOfMany = fixture.kind === "several choices"; // before an index comes again, they look like one
  const wrong: Readonly<Record<string, boolean>> = {
    "a call that is not whole has arguments": turn.calls.some((call) => canRun(call) !== (call.arguments !== null)),
    "it is complete before its end": turn.complete && !terminals.test(received),
    "it is complete and has an error": turn.complete && turn.error !== undefined,
    "nobody says that the connection broke": turn.finish === null && turn.error?.from !== "connection",
    "other text": !isLeak && !isOneOfMany && !whole.text.startsWith(turn.text),
    "other reasoning": !whole.reasoning.startsWith(turn.reasoning),
  };
  return Object.keys(wrong).filter((fault) => wrong[fault]);
}

/** What says that a turn is over, in any format. */
const terminals =
  /"finish_?[rR]eason": ?(?:"[^"]|\d)|\[DONE\]|message_stop|"stop_reason":"|"response\.completed"|event: response\.completed|"status":"completed"|"done": ?true|"messageStop"|"stopReason"/u;

/** What is true of the parts of any stream. */
function expectAgreement(parts: readonly StreamPart[]): void {
  const finishes = parts.filter((part) => part.type === "finish");
  expect(new Set(finishes.map(({ choice }) => choice)).size).toBe(finishes.length);
  for (const { choice, turn } of finishes) {
    const mine = parts.filter((part) => part.choice === choice);
    const joined = (type: "text-delta" | "reasoning-delta") =>
      mine.map((part) => (part.type === type ? part.text : "")).join("");
    expect(joined("text-delta")).toBe(turn.text);
    expect(joined("reasoning-delta")).toBe(turn.reasoning);
    expect(mine.flatMap((part) => (part.type === "call-end" ? [part.result] : []))).toEqual(turn.calls);
    expect(mine.flatMap((part) => (part.type === "anomaly" ? [part.anomaly] : []))).toEqual(turn.anomalies);
    expect(turn.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("")).toBe(turn.text);
    expect(mine.at(-1)?.type).toBe("finish");
  }
  expect(parts.filter(({ choice }) => !finishes.some((finish) => finish.choice === choice))).toEqual([]);
  const steps = new Map<number, string>();
  for (const part of parts) if ("call" in part) steps.set(part.call, `${steps.get(part.call) ?? ""} ${part.type}`);
  for (const told of steps.values()) expect(told).toMatch(/^ call-start( call-delta)* call-end$/u);
}

describe("reading a stream", () => {
  const fixture = allStreams[0] as StreamFixture; // there are hundreds

  test("leaving the loop gives what was received, and closes the source", async () => {
    let isClosed = false;
    async function* source() {
      try {
        yield* bytesOf(fixture.sent, 40);
      } finally {
        isClosed = true;
      }
    }
    const stream = open(fixture, source());
    for await (const part of stream) if (part.type === "call-start") break;
    const turn = await stream.turn();
    expect(turn).toMatchObject({ complete: false, finish: null });
    expect(isClosed).toBe(true);
  });

  test("turn() may be asked for while the parts are read, and again", async () => {
    const stream = open(fixture, bytesOf(fixture.sent, 9));
    const early = stream.turn();
    const parts = await partsOf(stream);
    expect(parts.at(-1)).toEqual({ type: "finish", choice: 0, turn: await early });
    expect(await stream.turn()).toBe(await early);
  });

  test("an aborted fetch gives what was received", async () => {
    const aborted = new ReadableStream({
      pull(controller) {
        controller.enqueue(new TextEncoder().encode(fixture.sent.slice(0, 700)));
        controller.error(new DOMException("This operation was aborted", "AbortError"));
      },
    });
    const turn = await open(fixture, aborted).turn();
    expect(turn.complete).toBe(false);
    expect(turn.error).toMatchObject({ from: "connection", code: "AbortError" });
  });

  test("a socket that breaks behind the end breaks nothing", async () => {
    const turn = await open(fixture, brokenAfter(fixture.sent, 1e9)).turn();
    expect(inShort(turn)).toEqual(fixture.expected);
    expect(turn.error).toBeUndefined();
  });

  test("a value that is nested without end hurts nobody", async () => {
    const deep = '{"a":'.repeat(100_000) + "1" + "}".repeat(100_000);
    const lists = `data: ${"[".repeat(100_000)}${"]".repeat(100_000)}\n\n`;
    const called = `{"message":{"tool_calls":[{"function":{"name":"x","arguments":${deep}}}]}}\n{"done":true}\n`;
    expect((await assemble(called, { format: "ollama" }).turn()).calls).toMatchObject([{ state: "malformed" }]);
    expect(await assemble(lists + fixture.sent, { format: "openai-chat" }).turn()).toMatchObject({ complete: true });
    const twice = [
      { index: 0, delta: { tool_calls: [{ index: 0, function: { name: "x", arguments: deep + deep } }] } },
    ];
    expect((await assemble([{ choices: twice }], { format: "openai-chat" }).turn()).calls[0]?.state).toBe("malformed");
  });

  test("what the arguments say so far can be shown", async () => {
    const previews: unknown[] = [];
    for await (const part of open(fixture, bytesOf(fixture.sent, 30))) {
      if (part.type === "call-delta") previews.push(structuredClone(part.preview()));
    }
    expect(previews).toEqual([{}, { order: "A" }, { order: "A-17" }]);
  });

  test("turns() gives every choice", async () => {
    const several = allStreams.find(({ id }) => id.endsWith("three of them"));
    const turns = several === undefined ? [] : await open(several, several.sent).turns();
    expect(turns.map(({ text, finish }) => [text, finish])).toEqual([
      ["Aa", "stop"],
      ["Bb", "stop"],
      ["Cc", "length"],
    ]);
  });
});

const folder = process.env["UNDANGLE_CORPUS"] ?? "";
const file = join(folder, "streams.jsonl");

interface Case {
  readonly id: string;
  readonly format: StreamFormat;
  readonly tier: string;
  readonly sse: string;
  readonly abort?: boolean;
  readonly tools: readonly string[];
  readonly expect: {
    readonly text: string;
    readonly text_trim?: boolean;
    readonly reasoning?: string;
    readonly tool_calls: readonly {
      readonly id: string | null;
      readonly name: string;
      readonly arguments: unknown;
      readonly id_alt?: unknown;
      readonly id_any?: unknown;
    }[];
    readonly finish: string | null;
    readonly finish_any?: readonly (string | null)[];
    readonly complete: boolean;
  };
}

describe.runIf(existsSync(file))(
  "the streams of the folder that UNDANGLE_CORPUS names (skipped where it names none)",
  () => {
    const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
    const cases = lines.filter((line) => line.trim() !== "").map((line) => JSON.parse(line) as Case); // our own file format

    test.each(cases)("$id is assembled rightly, whole and in pieces", async (one) => {
      const { expect: right, format, tools, tier } = one;
      for (const size of [1e9, 7, 1]) {
        const source = one.abort === true ? brokenAfter(one.sse, 1e9) : bytesOf(one.sse, size);
        const turn = await assemble(source, {
          format,
          tools,
          lenientArguments: tier === "repair",
          recoverLeaked: tier === "leak",
        }).turn();
        const text = (given: string): string => (right.text_trim === true ? given.trim() : given);
        expect(text(turn.text)).toBe(text(right.text));
        expect(right.reasoning === undefined ? undefined : turn.reasoning).toBe(right.reasoning);
        expect(turn.calls.map(({ name, arguments: args }) => [name, args])).toEqual(
          right.tool_calls.map((call) => [call.name, call.arguments]),
        );
        const isGiven = (call: Case["expect"]["tool_calls"][number]): boolean =>
          call.id !== null && call.id_alt === undefined && call.id_any === undefined;
        const ids = right.tool_calls.map((call, i) => (isGiven(call) ? call.id : turn.calls[i]?.id));
        expect(turn.calls.map(({ id }) => id)).toEqual(ids);
        expect(right.finish_any ?? [right.finish]).toContain(turn.finish);
        expect(turn.complete).toBe(right.complete);
      }
    });
  },
);
