import { isRecord } from "#core";
import type { AssembledTurn, JsonObject } from "#core";

import {
  argumentsText,
  textsOfTurns,
  streamOf,
  hasHalfNumbers,
  isLangChain,
  usualWriter,
} from "../../stream/response-writer.ts";
import type {
  RequestFacts,
  ResponseWriter,
  LiveCall,
  FrameContent,
  Frame,
  StreamWriter,
} from "../../stream/response-writer.ts";
import { endMarker } from "../../stream/events/sse.ts";
import { extraFieldsOf, withReasons } from "./extra-fields.ts";
import { isTextVisible, readBody, writeBody } from "./write-body.ts";
import { repairEnvelope, expectationsOf, wireOf, withExtras } from "./envelope.ts";
import type { Expectations } from "./envelope.ts";
import { deltaOf, repairChunk } from "./repair-chunk.ts";
import { createStrictClient, isSoundChunk, listOf, deltaTexts } from "./strict-client.ts";

/** Writes chat completions in OpenAI's form. */
export const chatWriter: ResponseWriter = {
  stream: createStreamWriter,
  body: {
    isTextVisible,
    clientTurns: readBody,
    write: writeBody,
    stream(turns, { usage, ...body }, facts) {
      const template = { ...body, object: "chat.completion.chunk" };
      const choices = listOf(body["choices"]).map(({ message, ...choice }) => ({ delta: message, ...choice }));
      const held = [{ value: { ...template, choices, usage } }];
      return streamOf(createStreamWriter(facts), turns, { texts: textsOfTurns(turns), held, template });
    },
  },
};

function createStreamWriter(facts?: RequestFacts): StreamWriter {
  const expectations = expectationsOf(facts);
  let isLegacy = expectations.isLegacy ?? false; // if unknown, calls keep the form of the first one
  let kept: unknown; // the index of the choice to keep, if one of several was requested
  let isFirst = true; // true if the client has seen no choice yet
  let hasWaited = false;
  let sent: readonly number[] = []; // the number of calls of each choice that the client has seen
  const client = createStrictClient(expectations);
  const look = ({ choices }: JsonObject): void => {
    if (expectations.isLegacy === undefined) isLegacy ||= listOf(choices).some(hasLegacyCall);
    if (expectations.isSingle && Array.isArray(choices) && choices.length > 1) kept ??= listOf(choices)[0]?.["index"];
  };
  return {
    ...usualWriter,
    isValid({ value }, reading) {
      look(value);
      const isEmitted = isSoundChunk(value, isFirst, expectations) && saysWhatWasRead(value, reading, expectations);
      return isEmitted && (!reading.hasEnd || client.canEnd(value));
    },
    emitted({ value }) {
      isFirst &&= !hasDelta(value);
      client.seen(value);
    },
    held({ value }) {
      look(value);
      client.take(value, isFirst && !hasWaited);
      hasWaited ||= hasDelta(value);
    },
    released() {
      isFirst &&= !hasWaited;
      sent = client.counts();
      client.released();
    },
    clientTurns: client.turns,
    isRejected: client.hasTripped,
    live: {
      begin(call, template) {
        const role = isFirst ? { role: "assistant", content: null } : {};
        return [chunkOf(template, call.choice, { ...role, ...beginningOf(call, isLegacy) })];
      },
      more: (call, text, template) => [chunkOf(template, call.choice, deltaOfCall(call, text, isLegacy))],
      isSequential: false,
      hasSplitNames: true,
    },
    mayPrecedeCall: ({ value }) =>
      expectations.isSingle && expectations.hasTools && listOf(value["choices"]).every(endsAsUsual),
    endsCall: () => false,
    isOfOtherChoice: client.isApart,
    misreads: (text) => isLangChain(facts) && hasHalfNumbers(text),
    writeText: (texts, template) =>
      texts.map(({ type, choice, text }, i) => {
        const delta = deltaOf({ type, text });
        return chunkOf(template, choice, isFirst && i === 0 ? { role: "assistant", ...delta } : delta);
      }),
    rewrite: ({ value }, texts) => repairChunk(value, texts, { isFirst, isSingle: expectations.isSingle, kept }),
    writeTurns(turns, held, last) {
      const template = held[0]?.value ?? last;
      const isSent = turns.some((_, choice) => client.endOf(choice) !== undefined);
      const repaired = isSent ? undefined : withReasons(held, turns, { isFirst, sent, expectations });
      if (repaired !== undefined) return repaired;
      const { before, after } = extraFieldsOf(held, template, {
        isFirst: false,
        isSingle: expectations.isSingle,
        kept,
      });
      const roles = isFirst
        ? turns.map((_, choice) => chunkOf(template, choice, { role: "assistant", content: null }))
        : [];
      return [
        ...roles,
        ...before,
        ...turns.flatMap((turn, choice) =>
          turnOf(
            turn,
            {
              choice,
              calls: sent[choice] ?? 0,
              end: client.endOf(choice),
              expectations: { ...expectations, isLegacy },
            },
            template,
          ),
        ),
        ...after,
      ];
    },
    toIgnorable: ({ value, event }) => ({ ...usageOf(value), event }),
    endMarker,
  };
}

/** The fields that all chunks of a response share. */
function chunkOf(template: JsonObject, index: number, delta: JsonObject, finish: string | null = null): Frame {
  const { choices: _choices, usage: _usage, ...shared } = repairEnvelope(template);
  return { value: { ...shared, choices: [{ index, delta, finish_reason: finish }] } };
}

const usageOf = (value: JsonObject): Frame => ({ value: { ...repairEnvelope(value), choices: [] } });

/** The part of a turn that was already sent. */
interface Sent {
  readonly choice: number;
  /** The number of calls. */
  readonly calls: number;
  /** The finish reason, if it was sent last. */
  readonly end: string | undefined;
  readonly expectations: Expectations;
}

function turnOf(
  { calls, finish }: AssembledTurn,
  { choice, calls: sent, end, expectations }: Sent,
  template: JsonObject,
): readonly Frame[] {
  const [call] = calls;
  if (expectations.isLegacy === true && sent === 0 && call !== undefined && calls.length === 1) {
    const called = { function_call: { name: call.name, arguments: argumentsText(call) } };
    return [chunkOf(template, choice, called), chunkOf(template, choice, {}, "function_call")];
  }
  const chunks = calls.map((call, i) =>
    chunkOf(template, choice, { tool_calls: [{ index: sent + i, ...wireOf(call) }] }),
  );
  const isSent = end !== undefined && (calls.length === 0 || expectations.areReasonsJoined);
  const isEnded = isSent && (isUsual(finish) || finish === end);
  return isEnded ? chunks : [...chunks, chunkOf(template, choice, {}, finish ?? "stop")];
}

/** True for a finish reason without loss of content. */
const isUsual = (finish: unknown): boolean => finish === "stop" || finish === "tool_calls";
const endsAsUsual = ({ finish_reason: finish }: JsonObject): boolean => isUsual(finish);

function beginningOf({ id, name, index, isCustom, extras }: LiveCall, isLegacy: boolean): JsonObject {
  if (isLegacy && index === 0) return { function_call: { name, arguments: "" } };
  const call = isCustom
    ? { type: "custom", custom: { name, input: "" } }
    : { type: "function", function: { name, arguments: "" } };
  return { tool_calls: [withExtras({ index, id, ...call }, extras)] };
}

function deltaOfCall({ index, isCustom }: LiveCall, text: string, isLegacy: boolean): JsonObject {
  if (isLegacy && index === 0) return { function_call: { arguments: text } };
  return { tool_calls: [{ index, ...(isCustom ? { custom: { input: text } } : { function: { arguments: text } }) }] };
}

const hasLegacyCall = ({ delta }: JsonObject): boolean => isRecord(delta) && isRecord(delta["function_call"]);

const hasDelta = ({ choices }: JsonObject): boolean => listOf(choices).some(({ delta }) => isRecord(delta));

/** True if the choices of a valid chunk contain exactly the decoded content. */
function saysWhatWasRead(
  { choices }: JsonObject,
  { texts, hasEnd }: FrameContent,
  expectations: Expectations,
): boolean {
  let found = 0;
  for (const { index, delta, finish_reason: finish } of listOf(choices)) {
    if (!isRecord(delta)) continue;
    const calls = delta["tool_calls"];
    if ((Array.isArray(calls) && calls.length > 0) || (typeof finish === "string" && !hasEnd)) return false;
    for (const { type, text } of deltaTexts(delta, expectations)) {
      const one = texts[found++];
      if (one?.type !== type || one.choice !== index || one.text !== text) return false;
    }
  }
  return found === texts.length;
}
