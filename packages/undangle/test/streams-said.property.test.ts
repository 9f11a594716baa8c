import fc from "fast-check";
import { faultNames } from "undangle/testing";
import type { WireFormat } from "undangle/testing";
import { expect, test } from "vitest";
import { responseWriters, createFrameReader, hasSameCalls } from "../src/codecs/index.ts";
import type { ClientTurn, Frame, StreamWriter, StreamFormat } from "../src/codecs/index.ts";
import { bytesOf } from "../src/testing/play/bytes.ts";
import { playTurn } from "../src/testing/play/play-turn.ts";
import { completeTurn } from "../src/testing/scripted-turn.ts";
import type { ScriptedCall } from "../src/testing/scripted-turn.ts";
import { randomFrom } from "./judge/random.ts";
import type { Random } from "./judge/random.ts";

/**
 * A healthy stream ends without a turn being put together of it: `areSaid` knows that it is so. Whatever it takes for healthy
 * has to be that when the turn is put together after all.
 */
const { FUZZ } = process.env;
const formats = ["openai-chat", "openai-responses", "anthropic", "gemini", "ollama"] as const;
const tools = ["ping", "find_book", "open_file"].map((name) => ({ type: "function", function: { name } }));

test("what is said to be healthy is so when the turn is put together", { timeout: FUZZ ? 0 : 60_000 }, () => {
  const said = new Map<string, number>();
  const count = (key: string): void => void said.set(key, (said.get(key) ?? 0) + 1);
  fc.assert(
    fc.property(fc.noShrink(fc.noBias(fc.nat())), (seed) => {
      const random = randomFrom(seed);
      const format = random.pick(formats);
      const { pieces, isHealthy } = streamFrom(format, random);
      const offered = random.chance(0.5) ? tools : undefined;
      const { frames, plain } = readBy(format, pieces, { random, offered });
      const known = readBy(format, pieces, { random, offered }).frames.end().turns;
      const exact = known.map(({ calls, complete }) => ({
        calls: calls.map(({ id, name, raw }) => ({ id, name, arguments: raw })),
        isEnded: complete,
      }));
      const claims = [...(plain === undefined ? [] : [plain]), exact, changed(plain ?? exact, random)];
      const found = claims.filter((claim) => frames.areExactly(claim));
      const { turns } = frames.end();
      for (const claim of found) {
        expect(hasSameCalls(claim, turns), `seed ${seed}: ${JSON.stringify({ format, pieces, claim, turns })}`).toBe(
          true,
        );
        count(`${format}, ${isHealthy ? "healthy" : "damaged"}`);
      }
      if (isHealthy && plain !== undefined && found.includes(plain)) count("by a plain client");
    }),
    FUZZ ? {} : { numRuns: 2000 },
  );
  if (FUZZ) return;
  const kinds = ["openai-chat", "anthropic"].flatMap((name) => [`${name}, healthy`, `${name}, damaged`]); // of others nothing says so
  expect([...kinds, "by a plain client"].filter((kind) => (said.get(kind) ?? 0) < 20)).toEqual([]);
});

/** The events of an answer, with faults that are known and with changes of any kind, or without. */
function streamFrom(
  format: WireFormat,
  random: Random,
): { readonly pieces: readonly string[]; readonly isHealthy: boolean } {
  const calls = Array.from({ length: random.below(4) }, (_, i) => ({
    id: `call_${i}`,
    name: random.pick(["ping", "find_book", "open_file"]),
    ...random.pick<Pick<ScriptedCall, "arguments" | "raw">>([
      { arguments: {} },
      { arguments: { n: 1 } },
      { arguments: { title: 'a "b" \\ {', n: [1, { x: "}" }] } },
      { arguments: { text: "ü中z".repeat(30) } },
      { raw: random.pick(["", " ", "{", '{"n":1}{"n":1}', '"{}"', "null", '{"n":tru}']) },
    ]),
  }));
  const turn = completeTurn({ text: random.chance(0.5) ? "Let me look. One moment." : "", calls }, 1, "demo");
  const names = faultNames(format);
  const faults = random.chance(0.6) ? [] : [names[random.below(names.length)] ?? "crlf"];
  const text = new TextDecoder().decode(Buffer.concat(bytesOf(playTurn(turn, format, faults))));
  const pieces = text.split(format === "ollama" ? /(?<=\n)/u : /(?<=\n\n|\r\n\r\n)/u);
  const isChanged = random.chance(0.5);
  if (isChanged) for (let i = random.below(3); i >= 0; i -= 1) change(pieces, random);
  const isHealthy = faults.length === 0 && !isChanged && calls.every(({ raw }) => raw === undefined);
  return { pieces, isHealthy };
}

/** Leaves an event out, sends it twice, moves it, cuts it off, or exchanges a value or a key in it. */
function change(pieces: string[], random: Random): void {
  const [one, other] = [random.below(pieces.length), random.below(pieces.length)];
  const piece = pieces[one] ?? "";
  const how = random.below(7);
  if (how === 0) pieces.splice(one, 1);
  else if (how === 1) pieces.splice(other, 0, piece);
  else if (how === 2) pieces.splice(other, 0, ...pieces.splice(one, 1));
  else if (how === 3) pieces.length = one;
  else {
    const places = [...piece.matchAll(/"(?:[^"\\]|\\.)*"|\d+|null|\{\}/gu)];
    const at = places[random.below(places.length)];
    if (at === undefined) return;
    const value = random.pick([
      '""',
      '"{}"',
      "null",
      "0",
      "1",
      "2",
      "{}",
      "[]",
      '"call_0"',
      '"ping"',
      '"stop"',
      at[0] + at[0],
    ]);
    pieces[one] = piece.slice(0, at.index) + value + piece.slice(at.index + at[0].length);
  }
}

interface Manner {
  readonly random: Random;
  readonly offered: readonly unknown[] | undefined;
}

/** Reads a stream as it is read on the wire, and what a plain client makes of it. */
function readBy(format: StreamFormat, pieces: readonly string[], { random, offered }: Manner) {
  const frames = createFrameReader({ format, tools: offered, isSingle: true, isBare: false });
  const cleaner = cleanerOf(format);
  for (const piece of pieces) {
    for (const { value, event } of frames.take(piece)) cleaner.held({ value: value as Frame["value"], event }); // a client trips over others
    const calls = random.chance(0.2) ? (cleaner.clientTurns() ?? []).flatMap((turn) => turn.calls) : [];
    for (const call of calls) frames.isObjectText(call.arguments);
  }
  return { frames, plain: cleaner.clientTurns() };
}

function cleanerOf(format: StreamFormat): StreamWriter {
  const cleaner = responseWriters[format]?.stream();
  if (cleaner === undefined) throw new Error(`Nothing mends ${format}.`);
  return cleaner;
}

/** Turns that are not quite the same. */
function changed(turns: readonly ClientTurn[], random: Random): readonly ClientTurn[] {
  const how = random.below(5);
  return turns.map(({ calls, isEnded }) => {
    const at = random.below(calls.length);
    const call = calls[at];
    if (how === 0 || call === undefined) return { calls, isEnded: !isEnded };
    if (how === 1) return { calls: calls.slice(1), isEnded };
    const other = random.pick([
      { id: "" },
      { id: "call_9" },
      { name: "ping" },
      { arguments: "{}" },
      { arguments: `${call.arguments} ` },
    ]);
    return { calls: calls.with(at, { ...call, ...other }), isEnded };
  });
}
