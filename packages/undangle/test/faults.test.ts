import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { streamFormats } from "#codecs";
import { assemble } from "undangle";
import type { AssembledTurn } from "undangle";
import { describe, expect, test } from "vitest";
import { faultNames, faultOf } from "../src/testing/faults/faults.ts";
import type { FaultName } from "../src/testing/faults/faults.ts";
import type { WireFormat } from "../src/testing/faults/fault.ts";
import { transport } from "../src/testing/faults/transport.ts";
import { bytesOf } from "../src/testing/play/bytes.ts";
import { playTurn } from "../src/testing/play/play-turn.ts";
import { completeTurn } from "../src/testing/scripted-turn.ts";
import type { ScriptedTurn, Turn } from "../src/testing/scripted-turn.ts";

const tools = ["get_weather", "run", "noop", "read_file"];

const turns: readonly ScriptedTurn[] = [
  { text: "Hello 世界 👋 how are you today?" },
  {
    text: "Let me look.",
    reasoning: "Hm, 想一想。",
    calls: [{ name: "get_weather", arguments: { city: "Zürich", days: [1, 2, 3] } }],
  },
  {
    calls: [
      { name: "run", arguments: { command: 'ls "x" }{', n: 12 } },
      { name: "read_file", arguments: { path: "a" } },
      { name: "run", arguments: { command: "ls", n: 1 } },
    ],
  },
  { calls: [{ name: "noop" }] },
  {
    calls: [
      { name: "run", arguments: { command: "ls" } },
      { name: "run", arguments: { command: "pwd" } },
    ],
  },
  { text: "Yes.", calls: [{ name: "noop" }, { name: "noop" }, { name: "read_file", arguments: { path: "b" } }] },
];

async function played(turn: Turn, format: WireFormat, faults: readonly FaultName[]): Promise<AssembledTurn> {
  const stream = playTurn(turn, format, faults);
  const isLeaked = faults.some((name) => faultOf(name).outcome === "leaked");
  const source =
    format === "bedrock"
      ? stream.frames.map(({ event = "", data }) => ({ [event]: data })) // as the SDK parses them
      : pieces(bytesOf(stream), stream.transport.cutAt !== undefined);
  return assemble(source, { format, tools, recoverLeaked: isLeaked }).turn();
}

async function* pieces(writes: readonly Uint8Array[], isCut: boolean): AsyncGenerator<Uint8Array> {
  yield* writes;
  if (isCut) throw new Error("The connection was reset.");
}

/** What a turn says, whatever its ids are. */
const said = ({ text, reasoning, calls }: Pick<AssembledTurn, "text" | "reasoning"> & Pick<Turn, "calls">) => ({
  text: text.trim(),
  reasoning,
  calls: calls.map(({ name, arguments: args }) => [name, args]),
});

const heard = ({ text, reasoning, calls }: AssembledTurn) => ({
  text: text.trim(),
  reasoning,
  calls: calls.map(({ name, arguments: args }) => [name, args]),
});

const harmless = (format: WireFormat): readonly FaultName[] =>
  faultNames(format).filter((name) => ["same", "leaked"].includes(faultOf(name).outcome));

describe.each(streamFormats)("%s", (format) => {
  test("a turn with nothing wrong comes as it was meant", async () => {
    for (const scripted of turns) {
      const turn = completeTurn(scripted, 1, "m");
      const result = await played(turn, format, []);
      expect(heard(result)).toEqual(said(turn));
      expect(result).toMatchObject({ complete: true, finish: turn.finish });
    }
  });

  test.each(harmless(format))("%s: the turn comes as it was meant, with ids of their own", async (name) => {
    for (const scripted of turns) {
      const turn = completeTurn(scripted, 1, "m");
      const result = await played(turn, format, [name]);
      expect(heard(result)).toEqual(said(turn));
      expect(result.complete).toBe(true);
      expect(new Set(result.calls.map(({ id }) => id)).size).toBe(turn.calls.length);
    }
  });

  const harmful = faultNames(format).filter((name) => ["incomplete", "error"].includes(faultOf(name).outcome));
  test.each(harmful)("%s: the turn is not complete, and what is cut off has no arguments", async (name) => {
    // Nobody sees that a text is cut off when the reason for the end is another one.
    const scripts = ["length-as-tool-calls", "arguments-unclosed"].includes(name) ? turns.slice(1) : turns;
    for (const scripted of scripts) {
      const turn = completeTurn(scripted, 1, "m");
      const { complete, finish, calls } = await played(turn, format, [name]);
      const isKnown = format === "bedrock" && name === "cut"; // parsed events are not cut
      expect(complete).toBe(isKnown);
      expect(faultOf(name).outcome === "error" ? finish : "error").toBe("error");
      const whole = new Set(turn.calls.map(({ arguments: args }) => JSON.stringify(args)));
      expect(calls.every(({ arguments: args }) => args === null || whole.has(JSON.stringify(args)))).toBe(true);
    }
  });
});

describe("several faults in one turn", () => {
  test.each(streamFormats)(
    "%s: every two that are harmless are harmless together",
    { timeout: 120_000 },
    async (format) => {
      const names = faultNames(format).filter((name) => faultOf(name).outcome === "same");
      const wrong: string[] = [];
      for (const pair of names.flatMap((first) => names.map((second) => [first, second] as const))) {
        for (const scripted of turns) {
          const turn = completeTurn(scripted, 1, "m");
          const result = await played(turn, format, pair);
          const isSame = result.complete && isDeepStrictEqual(heard(result), said(turn));
          const isExcused = looksLikeOneCall(pair, turn) && isSafe(result, turn);
          if (!isSame && !isExcused) wrong.push(`${pair.join(", ")}: ${JSON.stringify(heard(result))}`);
        }
      }
      expect(wrong).toEqual([]);
    },
  );

  test("never stop the server, whatever they are", () => {
    const cases = fc.record({
      format: fc.constantFrom(...streamFormats),
      turn: fc.constantFrom(...turns),
      faults: fc.array(fc.constantFrom(...faultNames()), { maxLength: 6 }),
    });
    fc.assert(
      fc.property(cases, ({ format, turn, faults }) => {
        expect(bytesOf(playTurn(completeTurn(turn, 1, "m"), format, faults)).length).toBeGreaterThan(0);
      }),
      { numRuns: 2000 },
    );
  });

  test("that would leave nothing to read are not both done", () => {
    const turn = completeTurn(turns[1] ?? {}, 1, "m");
    for (const [format, first, second] of exclusive) {
      for (const [done, left] of [
        [first, second],
        [second, first],
      ] as const) {
        expect(playTurn(turn, format, [done, left])).toEqual(playTurn(turn, format, [done]));
      }
    }
  });

  test("see what the ones before them did", () => {
    const turn = completeTurn({ calls: [{ name: "bash", arguments: { x: 1 } }, { name: "ls" }] }, 1, "m");
    const names = (faults: readonly FaultName[]): readonly unknown[] =>
      playTurn(turn, "openai-chat", faults)
        .frames.flatMap((frame) => callsIn(frame.data))
        .flatMap((call) => call.function?.name ?? []);
    expect(names(["id-null-first", "name-split"])).toEqual(["ba", "sh", "l", "s"]);
    expect(names(["index-zero", "name-repeated"])).toEqual(["bash", "bash", "ls", "ls"]);
    expect(names(["name-split", "name-repeated"])).toEqual(["ba", "sh", "l", "s"]);
  });
});

/** Each does nothing behind the other. */
const exclusive: readonly (readonly [WireFormat, FaultName, FaultName])[] = [
  ["openai-chat", "finish-missing", "done-missing"],
  ["openai-responses", "responses-no-deltas", "responses-no-done"],
];

/** Whether the faults take away what tells two calls of one tool in a row from one call that goes on or comes again. */
function looksLikeOneCall(pair: readonly FaultName[], { calls }: Turn): boolean {
  const hasTwins = calls.some(({ name }, i) => name === calls[i + 1]?.name);
  return hasTwins && lookingLikeOne.some((both) => both.every((name) => pair.includes(name)));
}

const lookingLikeOne: readonly (readonly [FaultName, FaultName])[] = [
  // Neither an index nor, when a call begins, an id of its own.
  ...(["index-zero", "index-missing", "index-null"] as const).flatMap((index) =>
    (["id-never", "id-shared", "id-last"] as const).map((id) => [index, id] as const),
  ),
  // A second id on an index, without a name, is an id that changes.
  ["index-zero", "name-late"],
];

/** Whether nothing comes that was not meant: fewer calls, or calls without arguments. */
function isSafe(result: AssembledTurn, { calls }: Turn): boolean {
  const meant = new Set(calls.map(({ name, arguments: args }) => JSON.stringify([name, args])));
  const isMeant = ({ name, arguments: args }: AssembledTurn["calls"][number]): boolean =>
    args === null || meant.has(JSON.stringify([name, args]));
  return result.calls.length <= calls.length && result.calls.every(isMeant);
}

interface ChatCall {
  readonly function?: { readonly name?: string | null };
}

function callsIn(data: Readonly<Record<string, unknown>>): readonly ChatCall[] {
  // What the server wrote itself.
  const { choices } = data as { choices: readonly { delta: { tool_calls?: readonly ChatCall[] } }[] };
  return choices[0]?.delta.tool_calls ?? [];
}

describe.each(["openai-chat", "anthropic"] as const)("arguments of %s that are no JSON", (format) => {
  const malformed = faultNames(format).filter((name) => faultOf(name).outcome === "malformed");

  test.each(malformed)("are never ready: %s", async (name) => {
    for (const scripted of turns.slice(1)) {
      const turn = completeTurn(scripted, 1, "m");
      const { calls } = await played(turn, format, [name]);
      const broken = turn.calls.map((call) => [call.name, "malformed", null]);
      expect(calls.map((call) => [call.name, call.state, call.arguments])).toEqual(broken);
    }
  });
});

test("what goes wrong with a turn and on the way go together", { timeout: 60_000 }, async () => {
  const ways = Object.keys(transport) as readonly FaultName[];
  const cases = fc.record({
    format: fc.constantFrom(...streamFormats.filter((format) => format !== "bedrock")),
    turn: fc.constantFrom(...turns),
    fault: fc.nat(),
    way: fc.subarray([...ways], { maxLength: 3 }),
  });
  await fc.assert(
    fc.asyncProperty(cases, async ({ format, turn: scripted, fault, way }) => {
      const names = harmless(format).filter((name) => !ways.includes(name));
      const name = names[fault % names.length];
      const turn = completeTurn(scripted, 1, "m");
      const result = await played(turn, format, name === undefined ? way : [name, ...way]);
      expect(heard(result)).toEqual(said(turn));
    }),
  );
});
