import { isRecord } from "#core";
import type { AssembledCall, AssembledTurn } from "#core";

import { argumentsText, eventOf, saidInTurns, streamOf } from "../stream/cleaner.ts";
import type { Cleaner, PlainTurn, Reading, SentFrame, StreamCleaner, Wire } from "../stream/cleaner.ts";
import { addDelta, createPlainClient, isOfFirst, isSoundChunk, isTextOrNone, listOf } from "./plain-client.ts";

/** Chat completions as OpenAI sends them. */
export const chatCleaner: Cleaner = {
  stream: createStreamCleaner,
  body: {
    read: readBody,
    write: (turns, body) => ({
      ...body,
      choices: listOf(body["choices"]).map((choice, i) => writeChoice(choice, turns[i])),
    }),
    stream(turns, { usage, ...body }) {
      const like = { ...body, object: "chat.completion.chunk" };
      const waiting = isRecord(usage) ? [{ value: { ...like, usage } }] : [];
      return streamOf(createStreamCleaner(), turns, { said: saidInTurns(turns), waiting, like });
    },
  },
};

function createStreamCleaner({ isSingle = false }: { readonly isSingle?: boolean } = {}): StreamCleaner {
  let isFirst = true; // the client has seen no choice yet
  let hasWaited = false;
  let sent: readonly number[] = []; // how many calls of each choice it has seen
  const client = createPlainClient({ isSingle });
  return {
    isSound: ({ value }, reading) =>
      isSoundChunk(value, isFirst) && (!isSingle || isOfFirst(value)) && saysWhatWasRead(value, reading),
    passed({ value }) {
      isFirst &&= listOf(value["choices"]).length === 0;
      client.skip();
    },
    waits({ value }) {
      client.take(value, isFirst && !hasWaited);
      hasWaited ||= listOf(value["choices"]).length > 0;
    },
    again: client.again,
    released() {
      isFirst &&= !hasWaited;
      sent = client.counts();
    },
    read: client.turns,
    hasTripped: client.hasTripped,
    live: {
      begin({ id, name, choice, index }, like) {
        const call = { index, id, type: "function", function: { name, arguments: "" } };
        const role = isFirst ? { role: "assistant", content: null } : {};
        return [chunkOf(like, choice, { ...role, tool_calls: [call] })];
      },
      more: ({ choice, index }, text, like) => [
        chunkOf(like, choice, { tool_calls: [{ index, function: { arguments: text } }] }),
      ],
      isOneByOne: false,
    },
    endsCall: () => false,
    isNumbered: false,
    say: (said, like) =>
      said.map(({ type, choice, text }, i) => {
        const delta = { [type === "text" ? "content" : "reasoning_content"]: text };
        return chunkOf(like, choice, isFirst && i === 0 ? { role: "assistant", ...delta } : delta);
      }),
    write(turns, waiting, last) {
      const like = waiting[0]?.value ?? last;
      const rest = waiting.filter(({ value }) => isRecord(value["usage"])).map(({ value }) => usageOf(value));
      const roles = isFirst
        ? turns.map((_, choice) => chunkOf(like, choice, { role: "assistant", content: null }))
        : [];
      return [
        ...roles,
        ...turns.flatMap((turn, choice) => turnOf(turn, { choice, calls: sent[choice] ?? 0 }, like)),
        ...rest,
      ];
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

/** The rest of a turn of which so many calls have been sent. */
function turnOf(
  { calls, finish }: AssembledTurn,
  { choice, calls: sent }: { readonly choice: number; readonly calls: number },
  like: Wire,
): readonly SentFrame[] {
  const said = calls.map((call, i) => chunkOf(like, choice, { tool_calls: [{ index: sent + i, ...wireOf(call) }] }));
  return [...said, chunkOf(like, choice, {}, finish ?? "stop")];
}

function wireOf(call: AssembledCall): Wire {
  const { id, name, extras } = call;
  const extra = extras?.["extra_content"];
  const called = { id, type: "function", function: { name, arguments: argumentsText(call) } };
  return extra === undefined ? called : { ...called, extra_content: extra };
}

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

function readBody({ choices }: Wire): readonly PlainTurn[] | undefined {
  if (!Array.isArray(choices) || !choices.every(isRecord)) return undefined;
  const turns = choices.map(({ index, message, finish_reason: finish }, place): PlainTurn | undefined => {
    if (!isRecord(message) || (index !== undefined && index !== place)) return undefined;
    if (!isTextOrNone(message["content"]) || message["function_call"]) return undefined;
    const calls: { id: string; name: string; arguments: string }[] = [];
    const wires = message["tool_calls"] ?? [];
    const isFine =
      Array.isArray(wires) &&
      wires.every((wire, i) => isRecord(wire) && addDelta({ ...wire, index: i }, calls) !== undefined);
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
