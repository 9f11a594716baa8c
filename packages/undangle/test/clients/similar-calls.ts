import fc from "fast-check";

import { end, role } from "./chat-chunks.ts";
import { ending, json, start, stop, text, use } from "./message-events.ts";
import { chunk, done, events, responseOf } from "./passed-through.ts";
import type { Typed } from "./passed-through.ts";
import { chat, messages, responses } from "./requests.ts";
import { called, calling, numbered } from "./response-events.ts";

/** Calls whose arguments begin with themselves, in the formats in which they come piece by piece. */
export const similarFormats = ["openai-chat", "openai-responses", "anthropic"] as const;
export type SimilarFormat = (typeof similarFormats)[number];

export interface SimilarCall {
  /** The text of its arguments. */
  readonly text: string;
  readonly pieces: readonly string[];
}

/** What pieces say: one behind the other; each once more what came before; the last one all. */
type Manner = "joined" | "again" | "resent";

export interface SimilarTurn {
  readonly items: readonly (SimilarCall | string)[];
  /** Which of them goes on, where they come side by side. */
  readonly picks: readonly number[];
  /** Tools are known, calls begin with their first piece, and one event speaks of several: the last two where the format can. */
  readonly isTight: boolean;
  /** Their ids are left out. */
  readonly hasNoIds: boolean;
}

type Wire = Readonly<Record<string, unknown>>;

const keys = fc.constantFrom("a", "a", "a", "{", ":1}", "}", "");
const leaves = fc.constantFrom<unknown>(1, "x", '{"a":', '{"a":1}', "{", true, null, {}, []);
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    leaves,
    fc.dictionary(keys, tie("value"), { maxKeys: 2 }),
    fc.array(tie("value"), { maxLength: 3 }),
  ),
}));
const nested = fc
  .tuple(fc.constantFrom('{"a":', '{"a": ', '{"a":[', '{"a":[1,', ' {"a":'), fc.integer({ min: 1, max: 4 }), leaves)
  .map(([unit, depth, leaf]) => {
    const closers = { "{": "}", "[": "]" } as const;
    const open = unit
      .repeat(depth)
      .split("")
      .filter((sign): sign is keyof typeof closers => sign in closers);
    return (
      unit.repeat(depth) +
      JSON.stringify(leaf) +
      open
        .reverse()
        .map((sign) => closers[sign])
        .join("")
    );
  });
const objects = fc.dictionary(keys, value, { minKeys: 1, maxKeys: 2 });
const texts = fc.oneof(
  nested,
  fc.tuple(objects, fc.constantFrom(undefined, 1)).map(([object, space]) => JSON.stringify(object, null, space)),
);

/** The places at which what follows begins with all that came before, and any others. */
const cutsIn = (text: string, cuts: readonly number[], isSimilar: boolean): readonly number[] => {
  const similar = isSimilar
    ? Array.from({ length: text.length }, (_, at) => at).filter(
        (at) => at > 0 && text.startsWith(text.slice(0, at), at),
      )
    : [];
  return [...new Set([...cuts.map((cut) => 1 + (cut % text.length)), ...similar, text.length])].sort((a, b) => a - b);
};

const callWith = (manner: Manner): fc.Arbitrary<SimilarCall> =>
  fc
    .tuple(texts, fc.array(fc.nat(999), { maxLength: 5 }), fc.boolean(), fc.nat(9))
    .map(([text, cuts, isSimilar, nth]) => {
      const ends = cutsIn(text, cuts, isSimilar);
      const pieces = ends.map((end, i) => text.slice(ends[i - 1] ?? 0, end));
      if (manner === "joined") return { text, pieces };
      if (manner === "resent") return { text, pieces: [...pieces.slice(0, pieces.length - (nth % 2)), text] };
      return { text, pieces: ends.flatMap((end, i) => Array<string>(i === nth ? 2 : 1).fill(text.slice(0, end))) };
    });

export const similarTurns = (isAgain: boolean, hasNoIds: boolean): fc.Arbitrary<SimilarTurn> => {
  const call = isAgain ? fc.constantFrom<Manner[]>("joined", "again", "resent").chain(callWith) : callWith("joined");
  return fc.record({
    items: fc
      .tuple(isAgain ? callWith("again") : call, fc.array(fc.oneof(call, fc.constant("Hé")), { maxLength: 3 }))
      .map(([first, others]) => [first, ...others]),
    picks: fc.array(fc.nat(9), { maxLength: 20 }),
    isTight: fc.boolean(),
    hasNoIds: fc.constant(hasNoIds),
  });
};

const strayPieces = fc.array(
  fc.constantFrom("{", '{"a":', '{"a":1', "1", "}", "{}", " ", "null", '"', '"a"', ":", ",", '{"a":1}'),
  { maxLength: 5 },
);

/** Calls of pieces that stand together as it happens; the last one may be said to be all. */
export const randomTurns: fc.Arbitrary<SimilarTurn> = fc.record({
  items: fc.array(
    fc.oneof(
      { arbitrary: fc.constant("Hé"), weight: 1 },
      {
        arbitrary: fc
          .tuple(strayPieces, fc.boolean())
          .map(([pieces, isLast]) => ({ text: isLast ? (pieces.at(-1) ?? "") : pieces.join(""), pieces })),
        weight: 5,
      },
    ),
    { minLength: 1, maxLength: 3 },
  ),
  picks: fc.array(fc.nat(9), { maxLength: 20 }),
  isTight: fc.boolean(),
  hasNoIds: fc.boolean(),
});

/** What a server sends of a turn, and the request for it. */
export function similarBody(format: SimilarFormat, turn: SimilarTurn): Sent {
  const names = turn.items.map((_, at) => `f${at}`);
  const tools = names.map((name) => ({ type: "function", name, function: { name }, input_schema: { type: "object" } }));
  const request = { model: "m", stream: true, messages: [], input: [], max_tokens: 9, ...(turn.isTight && { tools }) };
  return { request, ...writers[format](turn) };
}

interface Sent {
  readonly url: string;
  readonly request: object;
  readonly body: string;
}

/** The calls that a client has when a body has ended, each as its name and its arguments; undefined where none says that it has. */
export function callsHeard(format: SimilarFormat, body: string): readonly string[] | undefined {
  const frames = [...body.matchAll(/^data: (\{.*)$/gmu)].map(([, data = ""]) => JSON.parse(data) as Wire); // of objects
  return readers[format](frames);
}

export const callsMeant = ({ items }: SimilarTurn): readonly string[] =>
  items.flatMap((item, at) => (typeof item === "string" ? [] : [`f${at} ${normal(item.text)}`]));

const normal = (text: string): string => JSON.stringify(JSON.parse(text));

const isDamaged = (items: SimilarTurn["items"], hasNoIds: boolean): boolean =>
  hasNoIds ||
  items.some((item) => typeof item !== "string" && (item.pieces.join("") !== item.text || !isJson(item.text)));

/** Takes from lists by turns, a list only when all those before have begun; what is left comes last. */
function merged<Piece>(lists: readonly (readonly Piece[])[], picks: readonly number[]): readonly Piece[] {
  const at = lists.map(() => 0);
  const all: Piece[] = [];
  for (const pick of [...picks, ...lists.flatMap((list, i) => list.map(() => i))]) {
    const begun = at.findIndex((count) => count === 0);
    const which = Math.min(pick % lists.length, begun < 0 ? lists.length : begun);
    const next = lists[which]?.[at[which] ?? 0];
    if (next === undefined) continue;
    at[which] = (at[which] ?? 0) + 1;
    all.push(next);
  }
  return [...all, ...lists.flatMap((list, i) => list.slice(at[i]))];
}

/** Each two deltas that speak of two calls as one. */
function paired(deltas: readonly Delta[]): readonly Delta[] {
  const all: Delta[] = [];
  for (const delta of deltas) {
    const [calls = [], others = []] = [all.at(-1)?.tool_calls, delta.tool_calls];
    const isPair = calls.length === 1 && others.length === 1 && calls[0]?.index !== others[0]?.index;
    if (isPair) all.pop();
    all.push(isPair ? { tool_calls: [...calls, ...others] } : delta);
  }
  return all;
}

const writers: Readonly<Record<SimilarFormat, (turn: SimilarTurn) => Pick<Sent, "url" | "body">>> = {
  "openai-chat": ({ items, picks, isTight, hasNoIds }) => {
    let index = 0;
    const lists = items.map((item, at): readonly Delta[] => {
      if (typeof item === "string") return [{ content: item }, { content: "!" }];
      const number = index++;
      const [first = "", ...others] = isTight ? item.pieces : ["", ...item.pieces];
      const called = { name: `f${at}`, arguments: first };
      const begun = { index: number, id: hasNoIds ? null : `call_${at}`, type: "function", function: called };
      const rest = others.map((text) => ({ tool_calls: [{ index: number, function: { arguments: text } }] }));
      return [{ tool_calls: [begun] }, ...rest];
    });
    // Who goes on to speak has called: words in the middle of a damaged call are taken for its end.
    const isMixed = items.every((item) => typeof item !== "string") || !isDamaged(items, hasNoIds);
    const deltas = merged(lists, isMixed ? picks : []);
    const chunks = (isTight ? paired(deltas) : deltas).map((delta) => chunk(delta));
    const body = events(role, ...chunks, end, done);
    return { url: chat.url, body };
  },
  anthropic: ({ items, hasNoIds }) => {
    const blocks = items.map((item, index) =>
      typeof item === "string"
        ? text(index, item)
        : use(index, `f${index}`, hasNoIds ? "" : undefined) +
          item.pieces.map((piece) => json(index, piece)).join("") +
          stop(index),
    );
    return { url: messages.url, body: start + blocks.join("") + ending };
  },
  "openai-responses": ({ items, picks, hasNoIds }) => {
    const shown = items.map((item, index) => itemEvents(item, index, hasNoIds));
    const output = shown.map(({ item }) => item);
    const all = [
      { type: "response.created", response: responseOf("in_progress") },
      ...merged(
        shown.map(({ told }) => told),
        picks,
      ),
      { type: "response.completed", response: responseOf("completed", ...output) },
    ];
    return { url: responses.url, body: numbered(all) };
  },
};

/** The events of an item, and how it is when it is done. */
function itemEvents(
  given: SimilarCall | string,
  index: number,
  hasNoIds: boolean,
): { readonly item: Typed; readonly told: readonly Typed[] } {
  const isText = typeof given === "string";
  const id = isText ? `msg_${index}` : `fc_${index}`;
  const place = { item_id: id, output_index: index };
  const shown = (when: "added" | "done", item: Typed): Typed => ({
    type: `response.output_item.${when}`,
    output_index: index,
    item,
  });
  if (isText) {
    const message = { type: "message", id, role: "assistant", status: "in_progress", content: [] };
    const part = { type: "output_text", text: given, annotations: [] };
    const item = { ...message, status: "completed", content: [part] };
    const at = { ...place, content_index: 0 };
    const told = [
      shown("added", message),
      { type: "response.content_part.added", ...at, part: { ...part, text: "" } },
      { type: "response.output_text.delta", ...at, delta: given },
      { type: "response.output_text.done", ...at, text: given },
      { type: "response.content_part.done", ...at, part },
      shown("done", item),
    ];
    return { item, told };
  }
  const item = { ...called(index, `f${index}`, given.text), ...(hasNoIds && { call_id: "" }) };
  return { item, told: calling(index, item, ...given.pieces) };
}

const readers: Readonly<Record<SimilarFormat, (frames: readonly Wire[]) => readonly string[] | undefined>> = {
  "openai-chat": (frames) => {
    const calls: [name: string, text: string][] = [];
    let isEnded = false;
    for (const { choices } of frames as unknown as readonly Chunk[]) {
      for (const { delta, finish_reason: finish } of choices) {
        isEnded ||= finish === "tool_calls";
        for (const { index, function: called } of delta.tool_calls ?? []) {
          const call = (calls[index] ??= [called.name ?? "", ""]);
          call[1] += called.arguments ?? "";
        }
      }
    }
    return isEnded ? inOrder(calls) : undefined;
  },
  anthropic: (frames) => {
    const calls: [name: string, text: string][] = [];
    for (const { content_block: block, delta } of frames as unknown as readonly Block[]) {
      if (block?.type === "tool_use") calls.push([block.name, ""]);
      const call = calls.at(-1);
      if (call !== undefined) call[1] += delta?.partial_json ?? "";
    }
    return frames.at(-1)?.["type"] === "message_stop" ? inOrder(calls) : undefined;
  },
  "openai-responses": (frames) => {
    const calls = new Map<number, [name: string, text: string]>();
    for (const { type, output_index: index, item, delta } of frames as unknown as readonly Shown[]) {
      if (type === "response.output_item.added" && item?.type === "function_call") calls.set(index, [item.name, ""]);
      const call = calls.get(index);
      if (call !== undefined && type === "response.function_call_arguments.delta") call[1] += delta;
    }
    const end = frames.at(-1);
    if (end?.["type"] !== "response.completed") return undefined;
    const { output } = (end as unknown as { readonly response: { readonly output: readonly Shown["item"][] } })
      .response;
    const told = output.flatMap((item): [string, string][] =>
      item?.type === "function_call" ? [[item.name, item.arguments]] : [],
    );
    const [heard, shown] = [inOrder([...calls.values()]), inOrder(told)];
    return heard.join() === shown.join() ? heard : ["a response that is not what its events said"];
  },
};

/** As written above, or by `wrapFetch`, which a test may trust to give what clients read: else it fails here. */
interface Chunk {
  readonly choices: readonly { readonly delta: Delta; readonly finish_reason: string | null }[];
}
interface Delta {
  readonly content?: string;
  readonly tool_calls?: readonly {
    readonly index: number;
    readonly function: { readonly name?: string; readonly arguments?: string };
  }[];
}
interface Block {
  readonly content_block?: { readonly type: string; readonly name: string };
  readonly delta?: { readonly partial_json?: string };
}
interface Shown {
  readonly type: string;
  readonly output_index: number;
  readonly item?: { readonly type: string; readonly name: string; readonly arguments: string };
  readonly delta: string;
}

/** Calls that come side by side may come in another order: their names tell them. */
const inOrder = (calls: readonly (readonly [name: string, text: string])[]): readonly string[] =>
  calls.map(([name, text]) => `${name} ${isJson(text) ? normal(text) : text.trim() || "{}"}`).sort();

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
