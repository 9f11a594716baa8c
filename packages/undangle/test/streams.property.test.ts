import fc from "fast-check";
import { assemble } from "undangle";
import type { AssembledCall, AssembledTurn, StreamFormat } from "undangle";
import { expect, test } from "vitest";
import { allStreams } from "./streams/all.ts";
import { open, partsOf } from "./streams/feed.ts";

const formats = [...new Set(allStreams.map(({ format }) => format))];
const fixture = fc.constantFrom(...allStreams);
const options = fc.record({ lenientArguments: fc.boolean(), recoverLeaked: fc.boolean() });
const tools = ["ping", "find_book", "paint", "open_file"];

/** Cuts a text, or its bytes, at any places. */
function cutAt<T extends string | Uint8Array>(given: T, places: readonly number[]): T[] {
  const ends = [...new Set(places.map((place) => place % (given.length + 1)))].sort((a, b) => a - b);
  const starts = [0, ...ends];
  return starts.map((start, i) => given.slice(start, starts[i + 1] ?? given.length) as T); // a slice is of its kind
}

test("a stream gives the same turn and the same parts, however it is cut", async () => {
  await fc.assert(
    fc.asyncProperty(fixture, fc.array(fc.nat(), { maxLength: 40 }), fc.boolean(), async (one, places, areBytes) => {
      const source = areBytes ? cutAt(new TextEncoder().encode(one.sent), places) : cutAt(one.sent, places);
      expect(await open(one, source).turn()).toEqual(await open(one, one.sent).turn());
      const joined = async (from: Parameters<typeof open>[1]) =>
        (await partsOf(open(one, from))).map((part) => (part.type === "text-delta" ? part.text : "")).join("");
      expect(await joined(source)).toBe(await joined(one.sent));
    }),
  );
});

/** Values that stand where a format has something, and others that do not belong there. */
const words = fc.constantFrom(
  "",
  " ",
  "null",
  "{}",
  "{",
  '{"a":1}',
  '"',
  "ping",
  "call_1",
  "stop",
  "length",
  "error",
  "<tool_call>",
);
const value: fc.Arbitrary<unknown> = fc.oneof(
  words,
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom(0, -1, 1, 1e300, true, null, [], {}),
);

/** A frame of a stream with a few of its values exchanged, lost or doubled. */
function mutate(
  frame: unknown,
  changes: readonly { readonly at: number; readonly to: unknown; readonly how: number }[],
): unknown {
  let copy: unknown = structuredClone(frame);
  for (const { at, to, how } of changes) {
    const places: (readonly [holder: Record<string, unknown>, key: string])[] = [];
    const visit = (holder: unknown): void => {
      if (typeof holder !== "object" || holder === null) return;
      for (const key of Object.keys(holder)) {
        places.push([holder as Record<string, unknown>, key]); // a list is an object here
        visit((holder as Record<string, unknown>)[key]);
      }
    };
    visit(copy);
    const place = places[at % Math.max(1, places.length)];
    if (place === undefined) copy = to;
    else if (how % 3 === 0 && !Array.isArray(place[0])) delete place[0][place[1]];
    else if (how % 3 === 1) place[0][place[1]] = to;
    else place[0][place[1]] = [place[0][place[1]], to];
  }
  return copy;
}

const change = fc.record({ at: fc.nat(), to: value, how: fc.nat() });

/** A stream with damage of any kind: frames changed, left out, doubled, out of order, of another format. */
const damaged = fc
  .record({
    one: fixture,
    other: fixture,
    format: fc.oneof(
      { weight: 6, arbitrary: fc.constant(undefined) },
      { weight: 1, arbitrary: fc.constantFrom(...formats) },
    ),
    changes: fc.array(fc.tuple(fc.nat(), fc.array(change, { maxLength: 3 })), { maxLength: 4 }),
    moves: fc.array(fc.tuple(fc.nat(), fc.nat(), fc.nat({ max: 3 })), { maxLength: 4 }),
    options,
  })
  .map(({ one, other, format, changes, moves, options: given }) => {
    let frames: unknown[] = [...(one.frames ?? [one.sent])];
    for (const [at, changed] of changes)
      frames = frames.map((frame, i) => (i === at % frames.length ? mutate(frame, changed) : frame));
    for (const [from, to, how] of moves) {
      const moved =
        how === 3
          ? [...(other.frames ?? [other.sent])].slice(0, 3)
          : frames.slice(from % (frames.length + 1)).slice(0, 1);
      if (how === 0) frames.splice(from % (frames.length + 1), 1);
      else frames.splice(to % (frames.length + 1), 0, ...moved);
    }
    return { frames, options: { ...given, format: format ?? one.format, tools } };
  });

/** What must not be true of a turn, whatever came. */
function wrongIn({ calls, finish, complete }: AssembledTurn): string[] {
  const ids = calls.map(({ id }) => id);
  const isBad = finish === null || finish === "error" || finish === "length" || finish === "content_filter";
  const canRun = ({ state }: AssembledCall): boolean => state === "ready" || state === "repaired";
  const isStrict = ({ state, raw, extras }: AssembledCall): boolean =>
    state === "ready" && raw.trim() !== "" && extras?.["type"] !== "custom";
  const wrong: Readonly<Record<string, boolean>> = {
    "an id twice": new Set(ids).size !== ids.length,
    "a blank id": ids.some((id) => id.trim() === ""),
    "complete in spite of its end": isBad && complete,
    "calls, and another end": complete && calls.length > 0 && finish !== "tool_calls",
    "arguments of a call that must not run": calls.some((call) => canRun(call) !== (call.arguments !== null)),
    "a call without a name that may run": calls.some((call) => canRun(call) && call.name === ""),
    "arguments that nobody sent": calls.some(
      (call) => isStrict(call) && !equals(call.arguments, argumentsIn(call.raw)),
    ),
  };
  return Object.keys(wrong).filter((fault) => wrong[fault]);
}

const equals = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** The object that a text is, or that the text in a text is. */
function argumentsIn(raw: string): unknown {
  let inner: unknown = raw;
  for (let depth = 0; depth < 4 && typeof inner === "string"; depth++)
    inner = inner.trim() === "" ? null : (JSON.parse(inner) as unknown);
  return inner ?? {};
}

test("no frame makes it throw, hang or give a call that is not whole", async () => {
  await fc.assert(
    fc.asyncProperty(damaged, async ({ frames, options: given }) => {
      const stream = assemble(frames, given);
      const parts = await partsOf(stream);
      expect((await stream.turns()).flatMap(wrongIn)).toEqual([]);
      const ended = parts.filter((part) => part.type === "call-end").map(({ call }) => call);
      expect(parts.filter((part) => part.type === "call-start" && !ended.includes(part.call))).toEqual([]);
      const again = await assemble(frames, given).turns();
      expect(again).toEqual(await stream.turns());
    }),
  );
});

test("any JSON and any text is read to its end", async () => {
  const piece = fc.oneof(
    fc.jsonValue(),
    fc.string({ unit: "binary" }),
    fc.uint8Array(),
    fc.constantFrom("data: ", "\n\n", "\r", "event: error\n", "[DONE]", "{", "}", "[", '"'),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(piece), fc.constantFrom(...formats), options, async (pieces, format, given) => {
      const turn = await assemble(pieces, { ...given, format, tools }).turn();
      expect(wrongIn(turn)).toEqual([]);
    }),
  );
});

test("generated ids are never those of the conversation", async () => {
  await fc.assert(
    fc.asyncProperty(fixture, fc.integer({ min: 1, max: 4 }), async (one, rounds) => {
      const known = new Set<string>();
      for (let round = 0; round < rounds; round++) {
        const { calls } = await assemble(one.sent, { ...one.options, format: one.format, knownIds: known }).turn();
        expect(calls.filter(({ id }) => known.has(id))).toEqual([]);
        for (const { id } of calls) known.add(id);
      }
    }),
  );
});

/** Arguments of any kind in the pieces of any size, in every format that has deltas of them. */
const deltas: Readonly<Record<string, (pieces: readonly string[]) => readonly unknown[]>> = {
  "openai-chat": (pieces) => [
    {
      choices: [
        { index: 0, delta: { tool_calls: [{ index: 0, id: "x", function: { name: "paint", arguments: "" } }] } },
      ],
    },
    ...pieces.map((text) => ({
      choices: [{ index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: text } }] } }],
    })),
    { choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] },
  ],
  anthropic: (pieces) => [
    { type: "content_block_start", index: 0, content_block: { type: "tool_use", id: "x", name: "paint", input: {} } },
    ...pieces.map((text) => ({
      type: "content_block_delta",
      index: 0,
      delta: { type: "input_json_delta", partial_json: text },
    })),
    { type: "message_stop" },
  ],
  "openai-responses": (pieces) => [
    {
      type: "response.output_item.added",
      output_index: 0,
      item: { type: "function_call", id: "f", call_id: "x", name: "paint", arguments: "" },
    },
    ...pieces.map((text) => ({
      type: "response.function_call_arguments.delta",
      output_index: 0,
      item_id: "f",
      delta: text,
    })),
    { type: "response.completed", response: { status: "completed", output: [] } },
  ],
  bedrock: (pieces) => [
    { contentBlockStart: { contentBlockIndex: 0, start: { toolUse: { toolUseId: "x", name: "paint" } } } },
    ...pieces.map((text) => ({ contentBlockDelta: { contentBlockIndex: 0, delta: { toolUse: { input: text } } } })),
    { messageStop: { stopReason: "tool_use" } },
  ],
};

test("good arguments are never touched, and cut ones never run", async () => {
  const object = fc.dictionary(fc.string({ unit: "grapheme" }), fc.jsonValue());
  await fc.assert(
    fc.asyncProperty(
      object,
      fc.array(fc.nat()),
      fc.record({ format: fc.constantFrom(...Object.keys(deltas)), at: fc.nat() }),
      options,
      async (args, places, { format, at }, given) => {
        const text = JSON.stringify(args);
        const frames = deltas[format] ?? (() => []);
        const whole = await assemble(frames(cutAt(text, places)), {
          ...given,
          format: format as StreamFormat,
          tools,
        }).turn();
        expect(whole.calls).toMatchObject([{ id: "x", name: "paint", state: "ready", raw: text }]);
        expect(whole.calls[0]?.arguments).toEqual(JSON.parse(text));
        const short = text.slice(0, 1 + (at % (text.length - 1)));
        const cut = await assemble(frames(cutAt(short, places)), {
          ...given,
          format: format as StreamFormat,
          tools,
        }).turn();
        expect(cut.calls).toMatchObject([{ state: "truncated", arguments: null, raw: short }]);
        expect(cut.complete).toBe(false);
      },
    ),
  );
});

/** Texts that look like what stands around them, or that take escapes. */
const texts = fc.oneof(
  fc.constantFrom("", "a", '"', "\\", '","content":"x', '{"path":"', "a\nb", "\u0000", "é", "\ud83d", "ping", "stop"),
  fc.string({ unit: "binary", maxLength: 12 }),
);

const escapesOf = (sign: string): string =>
  Array.from({ length: sign.length }, (_, i) => `\\u${sign.charCodeAt(i).toString(16).padStart(4, "0")}`).join("");

/** Ways in which servers write the same value. */
const writings: readonly ((value: unknown) => string)[] = [
  (value) => JSON.stringify(value),
  (value) => JSON.stringify(value, undefined, 1).replaceAll(/\n\s*/gu, ""),
  (value) => JSON.stringify(value).replaceAll(/[^ -~]/gu, escapesOf),
  (value) => JSON.stringify(value).replaceAll(/(?<=": ?"[^"\\]*)a/gu, "\\u0061"),
];

/** A frame with another text in the place of one of its texts. */
function withText(frame: unknown, at: number, text: string): unknown {
  const copy: unknown = structuredClone(frame);
  const places: (readonly [holder: Record<string, unknown>, key: string])[] = [];
  const visit = (holder: unknown): void => {
    if (typeof holder !== "object" || holder === null) return;
    for (const [key, inner] of Object.entries(holder)) {
      if (typeof inner === "string") places.push([holder as Record<string, unknown>, key]); // a list is an object here
      visit(inner);
    }
  };
  visit(copy);
  const place = places[at % Math.max(1, places.length)];
  if (place !== undefined) place[0][place[1]] = text;
  return copy;
}

test("events that repeat the one before with another text are read like all others", async () => {
  const framed = allStreams.filter(({ frames, format }) => frames !== undefined && format !== "ollama");
  const run = fc.record({ at: fc.nat(), place: fc.nat(), texts: fc.array(texts, { minLength: 1, maxLength: 6 }) });
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...framed),
      fc.array(run, { minLength: 1, maxLength: 3 }),
      fc.constantFrom(...writings),
      async (one, runs, write) => {
        const frames = (one.frames ?? []).flatMap((frame, at) => [
          frame,
          ...runs
            .filter((each) => each.at % (one.frames?.length ?? 1) === at)
            .flatMap(({ place, texts: said }) => said.map((text) => withText(frame, place, text))),
        ]);
        const parsed = frames.map((frame) => (typeof frame === "string" ? `data: ${frame}\n\n` : frame));
        const sent = frames.map((frame) => `data: ${typeof frame === "string" ? frame : write(frame)}\n\n`).join("");
        expect(await open(one, sent).turns()).toEqual(await open(one, parsed).turns());
        const told = JSON.stringify(await partsOf(open(one, sent)));
        expect(told).toBe(JSON.stringify(await partsOf(open(one, parsed))));
      },
    ),
    { numRuns: 1000 },
  );
});
