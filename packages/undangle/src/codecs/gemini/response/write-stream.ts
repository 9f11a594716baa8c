import { isRecord } from "#core";
import type { AssembledCall, AssembledTurn, JsonObject } from "#core";

import { argumentsValue, eventOf, hasIds, hasSameTexts, hasSameCalls } from "../../stream/response-writer.ts";
import type {
  RequestFacts,
  ResponseWriter,
  ClientTurn,
  FrameContent,
  TextDelta,
  StreamWriter,
} from "../../stream/response-writer.ts";
import {
  answerIn,
  candidatesIn,
  indexOf,
  isCall,
  isPlainAnswer,
  partsIn,
  saidIn,
  spelt,
  withAnswer,
} from "./candidates.ts";
import { createPlainReader } from "./strict-client.ts";

/** Writes generateContent responses in Gemini's form. */
export const geminiCleaner: ResponseWriter = {
  stream: createStreamCleaner,
  body: {
    clientTurns: readBody,
    stream: (turns, body, asked) => [{ value: isToldBy(body, turns, asked) ? body : writeBody(turns, body) }], // it is a chunk
    write: writeBody,
  },
};

function readBody(body: JsonObject, asked?: RequestFacts): readonly ClientTurn[] | undefined {
  const reader = createPlainReader(isPieced(asked));
  reader.take(body);
  return reader.turns();
}

/** True if every client reads the assembled content from a body. */
function isToldBy(body: JsonObject, turns: readonly AssembledTurn[], asked?: RequestFacts): boolean {
  if (turns.every(({ calls }) => calls.length === 0)) return isPlainAnswer(answerIn(body));
  const plain = readBody(body, asked);
  return plain !== undefined && hasSameCalls(plain, turns);
}

function writeBody(turns: readonly AssembledTurn[], body: JsonObject): JsonObject {
  const answer = spelt(answerIn(body));
  const candidates = candidatesIn(answer).map((candidate, i) => writeCandidate(candidate, turns[i]));
  return withAnswer(body, { ...answer, candidates });
}

function createStreamCleaner(asked?: RequestFacts): StreamWriter {
  const reader = createPlainReader(isPieced(asked));
  return {
    isValid: ({ value }, reading) => isSoundAnswer(answerIn(value), reading),
    emitted: () => undefined,
    held: ({ value }) => reader.take(value),
    released: () => undefined,
    clientTurns: reader.turns,
    isRejected: reader.hasTripped,
    endsCall: ({ value }) => endsCall(answerIn(value)),
    announcesMore: ({ value }) => !reader.hasTripped() && goesOn(answerIn(value)),
    hasIndexedParts: false,
    writeText: (said, like) => sayLike(said, like).map((answer) => ({ value: withAnswer(like, answer) })),
    writeTurns(turns, waiting, like) {
      const left = waiting.map(({ value }) => spelt(answerIn(value)));
      const shared = sharedOf(spelt(answerIn(like)));
      const calls = turns.flatMap((turn, index) =>
        turn.calls.map((call) => ({ ...shared, candidates: [candidateOf([callPart(call, turn)], index)] })),
      );
      return [...calls, endOf(turns, left, shared)].map((answer) => ({ value: withAnswer(like, answer) }));
    },
    rejectsUnknown: false,
    serialize: ({ value }) => eventOf({ value }), // Google's SDK ignores named events
    endMarker: "",
  };
}

/** True if the request enables streamed arguments, or may do so. */
function isPieced(asked: RequestFacts | undefined): boolean {
  const { toolConfig: config } = asked?.request ?? {};
  const calling = isRecord(config) ? config["functionCallingConfig"] : undefined;
  return asked?.request === undefined || (isRecord(calling) && calling["streamFunctionCallArguments"] === true);
}

function isSoundAnswer(answer: JsonObject, { texts: said, hasEnd }: FrameContent): boolean {
  if (!isPlainAnswer(answer) || !hasSameTexts(saidIn(answer), said)) return false;
  return candidatesIn(answer).every(
    (candidate) => !partsIn(candidate).some(isCall) && (candidate["finishReason"] === undefined || hasEnd),
  );
}

/** Calls end where no more data can follow. Missing arguments may still arrive, even after an empty object. */
function endsCall(answer: JsonObject): boolean {
  const calls = candidatesIn(answer).flatMap((candidate) => partsIn(candidate).filter(isCall));
  return calls.length > 0 && !calls.some(({ functionCall: call }) => isRecord(call) && mayGoOn(call));
}

/** Vertex streams arguments on request, and marks whether more follow. */
function goesOn(answer: JsonObject): boolean {
  const calls = candidatesIn(answer).flatMap((candidate) => partsIn(candidate).filter(isCall));
  const [called] = calls.slice(-1).map(({ functionCall: call }) => call);
  return isRecord(called) && called["willContinue"] === true;
}

const mayGoOn = ({ name, args = {}, partialArgs: pieces, willContinue }: JsonObject): boolean =>
  willContinue === true || (name !== undefined && isEmptyRecord(args) && pieces === undefined);

const isEmptyRecord = (value: unknown): boolean => isRecord(value) && Object.keys(value).length === 0;

/** The response with corrected spelling if that is enough, otherwise one response per part. */
function sayLike(said: readonly TextDelta[], like: JsonObject): readonly JsonObject[] {
  const answer = spelt(answerIn(like));
  const isAll = hasSameTexts(saidIn(answer), said) && isSoundAnswer(answer, { texts: said, hasEnd: false });
  if (isAll) return ["candidates", "usageMetadata", "promptFeedback"].some((key) => key in answer) ? [answer] : [];
  return said.map(({ type, choice, text }) => {
    const part = type === "text" ? { text } : { text, thought: true };
    return { ...sharedOf(answer), candidates: [candidateOf([part], choice)] };
  });
}

const candidateOf = (parts: readonly JsonObject[], index: number): JsonObject => ({
  content: { role: "model", parts },
  index,
});

/** The fields that all chunks of a response share. */
function sharedOf({ candidates: _candidates, usageMetadata: _usage, ...shared }: JsonObject): JsonObject {
  return shared;
}

function callPart(call: AssembledCall, turn: AssembledTurn): JsonObject {
  const id = hasIds(turn) ? { id: call.id } : {};
  const functionCall = { ...id, name: call.name, args: argumentsValue(call) };
  return call.seal === undefined ? { functionCall } : { functionCall, thoughtSignature: call.seal.value };
}

/** The last chunk, with all fields of the held chunks except text and calls. */
function endOf(turns: readonly AssembledTurn[], held: readonly JsonObject[], shared: JsonObject): JsonObject {
  const usage = held.findLast(({ usageMetadata }) => usageMetadata !== undefined)?.["usageMetadata"];
  const candidates = turns.map(({ finish }, index): JsonObject => {
    const given = held.flatMap((answer) => candidatesIn(answer).filter((candidate) => indexOf(candidate) === index));
    const others = given.flatMap((candidate) => partsIn(candidate).flatMap(unsaid));
    return {
      ...merged(given),
      ...candidateOf(others.length > 0 ? others : [{ text: "" }], index),
      finishReason: finish === "length" ? "MAX_TOKENS" : finish === "content_filter" ? "SAFETY" : "STOP",
    };
  });
  return { ...merged(held.map(sharedOf)), ...shared, candidates, ...(usage !== undefined && { usageMetadata: usage }) };
}

/** Of repeated fields, such as grounding, the last counts, because it is cumulative. */
const merged = (wires: readonly JsonObject[]): JsonObject => Object.assign({}, ...wires) as JsonObject; // of records

/** The rest of a part whose text was sent and whose call is rewritten. */
function unsaid(part: JsonObject): readonly JsonObject[] {
  if (isCall(part)) return [];
  if (typeof part["text"] !== "string") return Object.keys(part).length > 0 ? [part] : [];
  return part["thoughtSignature"] === undefined ? [] : [{ ...part, text: "" }];
}

/** The text of a part with a call, as a separate part. */
function textBeside({ text, thought }: JsonObject): readonly JsonObject[] {
  if (typeof text !== "string" || text === "") return [];
  return [thought === true ? { text, thought } : { text }];
}

/** Replaces the calls of a candidate in place. Everything else stays unchanged. */
function writeCandidate(candidate: JsonObject, turn: AssembledTurn | undefined): JsonObject {
  if (turn === undefined) return candidate;
  const calls = turn.calls.map((call) => callPart(call, turn));
  const parts = partsIn(candidate).flatMap((part) =>
    isCall(part) ? [...textBeside(part), ...calls.splice(0, 1)] : [part],
  );
  const isEnded = turn.finish === "stop" || turn.finish === "tool_calls"; // other finish reasons stay unchanged
  return {
    ...candidate,
    content: { role: "model", parts: [...parts, ...calls] },
    ...(isEnded && { finishReason: "STOP" }),
  };
}
