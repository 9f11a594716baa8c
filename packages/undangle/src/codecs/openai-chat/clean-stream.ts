import { isRecord } from "#core";
import type { AssembledCall, AssembledTurn } from "#core";

import { argumentsText, eventOf } from "../stream/cleaner.ts";
import type { Cleaner, PlainTurn, Reading, SentFrame, StreamCleaner, Wire } from "../stream/cleaner.ts";

/** Chat completions as OpenAI sends them. */
export const chatCleaner: Cleaner = {
  stream: createStreamCleaner,
  body: {
    read: readBody,
    write: (turns, body) => ({
      ...body,
      choices: listOf(body["choices"]).map((choice, i) => writeChoice(choice, turns[i])),
    }),
  },
};

function createStreamCleaner(): StreamCleaner {
  let isFirst = true; // the client has seen nothing yet
  return {
    isSound: ({ value }, reading) => isSoundChunk(value, isFirst) && saysWhatWasRead(value, reading),
    passed() {
      isFirst = false;
    },
    read: (frames) => read(frames, isFirst),
    endsCall: () => false,
    isNumbered: false,
    say: (said, like) =>
      said.map(({ type, choice, text }, i) => {
        const delta = { [type === "text" ? "content" : "reasoning_content"]: text };
        return chunkOf(like, choice, isFirst && i === 0 ? { role: "assistant", ...delta } : delta);
      }),
    write(turns, given) {
      const like = given[0]?.value ?? {};
      const rest = given.filter(({ value }) => isRecord(value["usage"])).map(({ value }) => usageOf(value));
      const roles = isFirst
        ? turns.map((_, choice) => chunkOf(like, choice, { role: "assistant", content: null }))
        : [];
      return [...roles, ...turns.flatMap((turn, choice) => turnOf(turn, choice, like)), ...rest];
    },
    textOf: eventOf,
    terminator: "data: [DONE]\n\n",
  };
}

/** The fields that all chunks of an answer share. */
function chunkOf(like: Wire, index: number, delta: Wire, finish: string | null = null): SentFrame {
  const { choices: _choices, usage: _usage, ...shared } = like;
  return { value: { ...shared, choices: [{ index, delta, finish_reason: finish }] } };
}

const usageOf = (value: Wire): SentFrame => ({ value: { ...value, choices: [] } });

function turnOf({ calls, finish }: AssembledTurn, choice: number, like: Wire): readonly SentFrame[] {
  const said = calls.map((call, index) => chunkOf(like, choice, { tool_calls: [{ index, ...wireOf(call) }] }));
  return [...said, chunkOf(like, choice, {}, finish ?? "stop")];
}

function wireOf(call: AssembledCall): Wire {
  const { id, name, extras } = call;
  const extra = extras?.["extra_content"];
  const called = { id, type: "function", function: { name, arguments: argumentsText(call) } };
  return extra === undefined ? called : { ...called, extra_content: extra };
}

/** A chunk in which every client finds what it looks for. */
function isSoundChunk({ choices, usage, error }: Wire, isFirst: boolean): boolean {
  if (!Array.isArray(choices) || (usage !== undefined && usage !== null && !isRecord(usage))) return false;
  if (isFirst && choices.length > 0 && !choices.every(hasRole)) return false;
  return error === undefined && choices.every(isSoundChoice);
}

const hasRole = (choice: unknown): boolean =>
  isRecord(choice) && isRecord(choice["delta"]) && choice["delta"]["role"] === "assistant";

/** True when the choices of a chunk say what was read in it, and nothing else. */
function saysWhatWasRead({ choices }: Wire, { said, hasEnd }: Reading): boolean {
  const texts = listOf(choices).flatMap(({ index, delta }) => {
    const { content, reasoning_content: thought, reasoning } = delta as Wire; // it is sound
    return [
      { type: "reasoning", choice: index, text: thought || reasoning },
      { type: "text", choice: index, text: content },
    ].filter(({ text }) => text);
  });
  const isLater = listOf(choices).some(({ delta, finish_reason: finish }) => {
    const calls = (delta as Wire)["tool_calls"];
    return (Array.isArray(calls) && calls.length > 0) || (typeof finish === "string" && !hasEnd);
  });
  return (
    !isLater &&
    texts.length === said.length &&
    texts.every(({ type, choice, text }, i) => {
      const one = said[i];
      return one?.type === type && one.choice === choice && one.text === text;
    })
  );
}

function isSoundChoice(choice: unknown): boolean {
  if (!isRecord(choice) || !isIndex(choice["index"])) return false;
  const { delta, finish_reason: finish } = choice;
  if (!isRecord(delta)) return false;
  if (finish !== undefined && finish !== null && (typeof finish !== "string" || !finishes.has(finish))) return false;
  return textKeys.every((key) => isTextOrNone(delta[key])) && delta["function_call"] === undefined;
}

const textKeys = ["content", "reasoning_content", "reasoning", "refusal", "role"];
const finishes: ReadonlySet<string> = new Set(["stop", "length", "tool_calls", "content_filter"]);

const isTextOrNone = (value: unknown): boolean => value === undefined || value === null || typeof value === "string";
const isIndex = (value: unknown): value is number => Number.isInteger(value) && Number(value) >= 0;

interface Plain {
  readonly calls: { id: string; name: string; arguments: string }[];
  isEnded: boolean;
}

/** Adds up the deltas as the SDKs do, and gives up at the first one that is not as OpenAI sends it. */
function read(frames: readonly SentFrame[], isFirst: boolean): readonly PlainTurn[] | undefined {
  const turns: Plain[] = [];
  for (const [i, { value }] of frames.entries()) {
    if (!isSoundChunk(value, isFirst && i === 0)) return undefined;
    for (const { index, delta, finish_reason: finish } of listOf(value["choices"])) {
      const turn = (turns[Number(index)] ??= { calls: [], isEnded: false });
      const calls = (delta as Wire)["tool_calls"] ?? [];
      if (turn.isEnded || !Array.isArray(calls) || !calls.every((call) => addDelta(call, turn.calls))) return undefined;
      turn.isEnded = finish === (turn.calls.length > 0 ? "tool_calls" : "stop");
      if (typeof finish === "string" && !turn.isEnded) return undefined;
    }
  }
  return turns.every((turn) => turn !== undefined) ? turns : undefined; // choices that never came leave holes
}

function addDelta(wire: unknown, calls: Plain["calls"]): boolean {
  if (!isRecord(wire) || !isRecord(wire["function"])) return false;
  const { index, id, type } = wire;
  if (!isIndex(index)) return false;
  const { name, arguments: text } = wire["function"];
  const known = calls[index];
  if (text !== undefined && typeof text !== "string") return false;
  if (known === undefined) {
    if (index !== calls.length || type !== "function" || typeof name !== "string" || name === "") return false;
    if (typeof id !== "string" || id === "" || calls.some((call) => call.id === id)) return false;
    calls.push({ id, name, arguments: text ?? "" });
    return true;
  }
  if ((id ?? known.id) !== known.id || (name !== undefined && name !== null)) return false;
  known.arguments += text ?? "";
  return true;
}

function readBody({ choices }: Wire): readonly PlainTurn[] | undefined {
  if (!Array.isArray(choices) || !choices.every(isRecord)) return undefined;
  const turns = choices.map(({ index, message, finish_reason: finish }, place): PlainTurn | undefined => {
    if (!isRecord(message) || (index !== undefined && index !== place)) return undefined;
    if (!isTextOrNone(message["content"]) || message["function_call"]) return undefined;
    const calls: Plain["calls"] = [];
    const wires = message["tool_calls"] ?? [];
    const isFine =
      Array.isArray(wires) && wires.every((wire, i) => isRecord(wire) && addDelta({ ...wire, index: i }, calls));
    return isFine ? { calls, isEnded: finish === (calls.length > 0 ? "tool_calls" : "stop") } : undefined;
  });
  return turns.every((turn) => turn !== undefined) ? turns : undefined;
}

function writeChoice(choice: Wire, turn: AssembledTurn | undefined): Wire {
  if (turn === undefined) return choice;
  const given = choice["message"] ?? choice["delta"];
  const { function_call: _legacy, tool_calls: _calls, ...message } = isRecord(given) ? given : {};
  const { delta: _delta, ...rest } = choice;
  return {
    ...rest,
    message: {
      role: "assistant",
      ...message,
      content: turn.text === "" ? null : turn.text,
      ...(turn.calls.length > 0 && { tool_calls: turn.calls.map(wireOf) }),
    },
    finish_reason: turn.finish ?? "stop",
  };
}

const listOf = (value: unknown): readonly Wire[] => (Array.isArray(value) ? value.filter(isRecord) : []);
