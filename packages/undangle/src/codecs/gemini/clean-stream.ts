import { isRecord } from "#core";
import type { AssembledCall, AssembledTurn } from "#core";

import { argumentsValue, eventOf, hasIds, saysAll, saysTheSame } from "../stream/cleaner.ts";
import type { Asked, Cleaner, PlainTurn, Reading, Said, StreamCleaner, Wire } from "../stream/cleaner.ts";
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
} from "./plain-answer.ts";
import { createPlainReader } from "./read-plain.ts";

/** Answers of generateContent as Gemini sends them. */
export const geminiCleaner: Cleaner = {
  stream: createStreamCleaner,
  body: {
    read: readBody,
    stream: (turns, body, asked) => [{ value: isToldBy(body, turns, asked) ? body : writeBody(turns, body) }], // it is a chunk
    write: writeBody,
  },
};

function readBody(body: Wire, asked?: Asked): readonly PlainTurn[] | undefined {
  const reader = createPlainReader(isPieced(asked));
  reader.take(body);
  return reader.turns();
}

/** True where every client finds in a body what was read in it. */
function isToldBy(body: Wire, turns: readonly AssembledTurn[], asked?: Asked): boolean {
  if (turns.every(({ calls }) => calls.length === 0)) return isPlainAnswer(answerIn(body));
  const plain = readBody(body, asked);
  return plain !== undefined && saysTheSame(plain, turns);
}

function writeBody(turns: readonly AssembledTurn[], body: Wire): Wire {
  const answer = spelt(answerIn(body));
  const candidates = candidatesIn(answer).map((candidate, i) => writeCandidate(candidate, turns[i]));
  return withAnswer(body, { ...answer, candidates });
}

function createStreamCleaner(asked?: Asked): StreamCleaner {
  const reader = createPlainReader(isPieced(asked));
  return {
    isSound: ({ value }, reading) => isSoundAnswer(answerIn(value), reading),
    passed: () => undefined,
    waits: ({ value }) => reader.take(value),
    released: () => undefined,
    read: reader.turns,
    hasTripped: reader.hasTripped,
    endsCall: ({ value }) => endsCall(answerIn(value)),
    goesOn: ({ value }) => !reader.hasTripped() && goesOn(answerIn(value)),
    isNumbered: false,
    say: (said, like) => sayLike(said, like).map((answer) => ({ value: withAnswer(like, answer) })),
    write(turns, waiting, like) {
      const left = waiting.map(({ value }) => spelt(answerIn(value)));
      const shared = sharedOf(spelt(answerIn(like)));
      const calls = turns.flatMap((turn, index) =>
        turn.calls.map((call) => ({ ...shared, candidates: [candidateOf([callPart(call, turn)], index)] })),
      );
      return [...calls, endOf(turns, left, shared)].map((answer) => ({ value: withAnswer(like, answer) }));
    },
    textOf: ({ value }) => eventOf({ value }), // Google's SDK reads no event that has a name
    terminator: "",
  };
}

/** True where it was asked to send arguments while they are made, or may have been. */
function isPieced(asked: Asked | undefined): boolean {
  const { toolConfig: config } = asked?.request ?? {};
  const calling = isRecord(config) ? config["functionCallingConfig"] : undefined;
  return asked?.request === undefined || (isRecord(calling) && calling["streamFunctionCallArguments"] === true);
}

function isSoundAnswer(answer: Wire, { said, hasEnd }: Reading): boolean {
  if (!isPlainAnswer(answer) || !saysAll(saidIn(answer), said)) return false;
  return candidatesIn(answer).every(
    (candidate) => !partsIn(candidate).some(isCall) && (candidate["finishReason"] === undefined || hasEnd),
  );
}

/** Calls are over where no more of them can come: arguments that are absent may be on their way, also behind an empty object. */
function endsCall(answer: Wire): boolean {
  const calls = candidatesIn(answer).flatMap((candidate) => partsIn(candidate).filter(isCall));
  return calls.length > 0 && !calls.some(({ functionCall: call }) => isRecord(call) && mayGoOn(call));
}

/** Vertex sends arguments piece by piece where it is asked to, and says of each piece whether there is more. */
function goesOn(answer: Wire): boolean {
  const calls = candidatesIn(answer).flatMap((candidate) => partsIn(candidate).filter(isCall));
  const [called] = calls.slice(-1).map(({ functionCall: call }) => call);
  return isRecord(called) && called["willContinue"] === true;
}

const mayGoOn = ({ name, args = {}, partialArgs: pieces, willContinue }: Wire): boolean =>
  willContinue === true || (name !== undefined && isEmptyRecord(args) && pieces === undefined);

const isEmptyRecord = (value: unknown): boolean => isRecord(value) && Object.keys(value).length === 0;

/** The answer in its right spelling where that says all, else one for each piece. */
function sayLike(said: readonly Said[], like: Wire): readonly Wire[] {
  const answer = spelt(answerIn(like));
  const isAll = saysAll(saidIn(answer), said) && isSoundAnswer(answer, { said, hasEnd: false });
  if (isAll) return ["candidates", "usageMetadata", "promptFeedback"].some((key) => key in answer) ? [answer] : [];
  return said.map(({ type, choice, text }) => {
    const part = type === "text" ? { text } : { text, thought: true };
    return { ...sharedOf(answer), candidates: [candidateOf([part], choice)] };
  });
}

const candidateOf = (parts: readonly Wire[], index: number): Wire => ({ content: { role: "model", parts }, index });

/** The fields that all chunks of an answer share. */
function sharedOf({ candidates: _candidates, usageMetadata: _usage, ...shared }: Wire): Wire {
  return shared;
}

function callPart(call: AssembledCall, turn: AssembledTurn): Wire {
  const id = hasIds(turn) ? { id: call.id } : {};
  const functionCall = { ...id, name: call.name, args: argumentsValue(call) };
  return call.seal === undefined ? { functionCall } : { functionCall, thoughtSignature: call.seal.value };
}

/** The last chunk, with all that the ones that were held had besides text and calls. */
function endOf(turns: readonly AssembledTurn[], held: readonly Wire[], shared: Wire): Wire {
  const usage = held.findLast(({ usageMetadata }) => usageMetadata !== undefined)?.["usageMetadata"];
  const candidates = turns.map(({ finish }, index): Wire => {
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

/** Of what came more than once, such as what an answer is grounded on, the last counts: it is all of it. */
const merged = (wires: readonly Wire[]): Wire => Object.assign({}, ...wires) as Wire; // of records

/** What is left of a part when its text was said and its call is written anew. */
function unsaid(part: Wire): readonly Wire[] {
  if (isCall(part)) return [];
  if (typeof part["text"] !== "string") return Object.keys(part).length > 0 ? [part] : [];
  return part["thoughtSignature"] === undefined ? [] : [{ ...part, text: "" }];
}

/** The text of a part that has a call too, as a part of its own. */
function textBeside({ text, thought }: Wire): readonly Wire[] {
  if (typeof text !== "string" || text === "") return [];
  return [thought === true ? { text, thought } : { text }];
}

/** Each call in the place of one that was sent, and everything else as it was. */
function writeCandidate(candidate: Wire, turn: AssembledTurn | undefined): Wire {
  if (turn === undefined) return candidate;
  const calls = turn.calls.map((call) => callPart(call, turn));
  const parts = partsIn(candidate).flatMap((part) =>
    isCall(part) ? [...textBeside(part), ...calls.splice(0, 1)] : [part],
  );
  const isEnded = turn.finish === "stop" || turn.finish === "tool_calls"; // another reason stays as it is
  return {
    ...candidate,
    content: { role: "model", parts: [...parts, ...calls] },
    ...(isEnded && { finishReason: "STOP" }),
  };
}
