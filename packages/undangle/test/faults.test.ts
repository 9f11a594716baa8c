import fc from "fast-check";
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

const formats: readonly WireFormat[] = ["openai-chat", "openai-responses", "anthropic", "gemini", "ollama", "bedrock"];
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

describe.each(formats)("%s", (format) => {
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
    for (const scripted of turns.slice(1, 3)) {
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

test("arguments that are no JSON are never ready", async () => {
  for (const name of faultNames("openai-chat").filter((each) => faultOf(each).outcome === "malformed")) {
    const { calls } = await played(completeTurn(turns[2] ?? {}, 1, "m"), "openai-chat", [name]);
    expect(calls.map(({ state, arguments: args }) => [state, args])).toEqual(calls.map(() => ["malformed", null]));
  }
});

test("what goes wrong with a turn and on the way go together", { timeout: 60_000 }, async () => {
  const ways = Object.keys(transport) as readonly FaultName[];
  const cases = fc.record({
    format: fc.constantFrom(...formats.filter((format) => format !== "bedrock")),
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
