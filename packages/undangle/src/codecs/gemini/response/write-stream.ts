import { isRecord } from "#core";
import type { AssembledCall, AssembledTurn, JsonObject } from "#core";

import {
  argumentsValue,
  eventOf,
  hasIds,
  hasSameTexts,
  hasSameCalls,
  usualWriter,
} from "../../stream/response-writer.ts";
import type {
  RequestFacts,
  ResponseWriter,
  ClientTurn,
  FrameContent,
  TextDelta,
  StreamWriter,
} from "../../stream/response-writer.ts";
import {
  responseIn,
  candidatesIn,
  indexOf,
  isCall,
  isPlainResponse,
  partsIn,
  textsIn,
  spelt,
  withResponse,
  createPlainReader,
} from "./strict-client.ts";

/** Writes generateContent responses in Gemini's form. */
export const geminiWriter: ResponseWriter = {
  stream: createStreamWriter,
  body: {
    isTextVisible: () => true,
    clientTurns: readBody,
    stream: (turns, body, facts) => [{ value: isReportedBy(body, turns, facts) ? body : writeBody(turns, body) }], // it is a chunk
    write: writeBody,
  },
};

function readBody(body: JsonObject, facts?: RequestFacts): readonly ClientTurn[] | undefined {
  const reader = createPlainReader(isPieced(facts));
  reader.take(body);
  return reader.turns();
}

/** True if every client reads the assembled content from a body. */
function isReportedBy(body: JsonObject, turns: readonly AssembledTurn[], facts?: RequestFacts): boolean {
  if (turns.every(({ calls }) => calls.length === 0)) return isPlainResponse(responseIn(body));
  const plain = readBody(body, facts);
  return plain !== undefined && hasSameCalls(plain, turns);
}

function writeBody(turns: readonly AssembledTurn[], body: JsonObject): JsonObject {
  const response = spelt(responseIn(body));
  const candidates = candidatesIn(response).map((candidate, i) => writeCandidate(candidate, turns[i]));
  return withResponse(body, { ...response, candidates });
}

function createStreamWriter(facts?: RequestFacts): StreamWriter {
  const reader = createPlainReader(isPieced(facts));
  return {
    ...usualWriter,
    isValid: ({ value }, reading) => isValidResponse(responseIn(value), reading),
    emitted: () => undefined,
    held: ({ value }) => reader.take(value),
    released: () => undefined,
    clientTurns: reader.turns,
    isRejected: reader.hasTripped,
    endsCall: ({ value }) => endsCall(responseIn(value)),
    announcesMore: ({ value }) => !reader.hasTripped() && goesOn(responseIn(value)),
    writeText: (readTexts, template) =>
      sayLike(readTexts, template).map((response) => ({ value: withResponse(template, response) })),
    writeTurns(turns, waiting, template) {
      const left = waiting.map(({ value }) => spelt(responseIn(value)));
      const shared = sharedOf(spelt(responseIn(template)));
      const calls = turns.flatMap((turn, index) =>
        turn.calls.map((call) => ({ ...shared, candidates: [candidateOf([callPart(call, turn)], index)] })),
      );
      return [...calls, endOf(turns, left, shared)].map((response) => ({ value: withResponse(template, response) }));
    },
    serialize: ({ value }) => eventOf({ value }), // Google's SDK ignores named events
  };
}

/** True if the request enables streamed arguments, or may do so. */
function isPieced(facts: RequestFacts | undefined): boolean {
  const { toolConfig: config } = facts?.request ?? {};
  const calling = isRecord(config) ? config["functionCallingConfig"] : undefined;
  return facts?.request === undefined || (isRecord(calling) && calling["streamFunctionCallArguments"] === true);
}

function isValidResponse(response: JsonObject, { texts: readTexts, hasEnd }: FrameContent): boolean {
  if (!isPlainResponse(response) || !hasSameTexts(textsIn(response), readTexts)) return false;
  return candidatesIn(response).every(
    (candidate) => !partsIn(candidate).some(isCall) && (candidate["finishReason"] === undefined || hasEnd),
  );
}

/** Calls end where no more data can follow. Missing arguments may still arrive, even after an empty object. */
function endsCall(response: JsonObject): boolean {
  const calls = candidatesIn(response).flatMap((candidate) => partsIn(candidate).filter(isCall));
  return calls.length > 0 && !calls.some(({ functionCall: call }) => isRecord(call) && mayGoOn(call));
}

/** Vertex streams arguments on request, and marks whether more follow. */
function goesOn(response: JsonObject): boolean {
  const calls = candidatesIn(response).flatMap((candidate) => partsIn(candidate).filter(isCall));
  const [called] = calls.slice(-1).map(({ functionCall: call }) => call);
  return isRecord(called) && called["willContinue"] === true;
}

const mayGoOn = ({ name, args = {}, partialArgs: chunks, willContinue }: JsonObject): boolean =>
  willContinue === true || (name !== undefined && isEmptyRecord(args) && chunks === undefined);

const isEmptyRecord = (value: unknown): boolean => isRecord(value) && Object.keys(value).length === 0;

/** The response with corrected spelling if that is enough, otherwise one response per part. */
function sayLike(readTexts: readonly TextDelta[], template: JsonObject): readonly JsonObject[] {
  const response = spelt(responseIn(template));
  const isAll =
    hasSameTexts(textsIn(response), readTexts) && isValidResponse(response, { texts: readTexts, hasEnd: false });
  if (isAll) return ["candidates", "usageMetadata", "promptFeedback"].some((key) => key in response) ? [response] : [];
  return readTexts.map(({ type, choice, text }) => {
    const part = type === "text" ? { text } : { text, thought: true };
    return { ...sharedOf(response), candidates: [candidateOf([part], choice)] };
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
    const given = held.flatMap((response) =>
      candidatesIn(response).filter((candidate) => indexOf(candidate) === index),
    );
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
