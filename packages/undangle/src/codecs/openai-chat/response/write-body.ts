import { isRecord } from "#core";
import type { AssembledTurn, JsonObject } from "#core";

import { argumentsText, hasSameCalls } from "../../stream/response-writer.ts";
import type { RequestFacts, ClientTurn } from "../../stream/response-writer.ts";
import { isSoundEnvelope, isTextOrNone, repairEnvelope, expectationsOf, wireOf } from "./envelope.ts";
import type { Expectations } from "./envelope.ts";
import { extraParts, isThought } from "./repair-chunk.ts";
import { addDelta, addLegacy, isEndOf, listOf, noCalls, plainCall } from "./strict-client.ts";

/** Reads a completion body as a client. Undefined if the client would fail. */
export function readBody(body: JsonObject, facts?: RequestFacts): readonly ClientTurn[] | undefined {
  const { choices } = body;
  if (!Array.isArray(choices) || !choices.every(isRecord) || !isSoundEnvelope(body)) return undefined;
  const expectations = expectationsOf(facts);
  const turns = choices.map((choice, place) => readChoice(choice, place, expectations));
  return turns.every((turn) => turn !== undefined) ? turns : undefined;
}

/**
 * True for messages with a role, unless the content is a list of texts, which only Mistral sends; other parts are
 * custom.
 */
export function isTextVisible(body: JsonObject, facts?: RequestFacts): boolean {
  const { isMistral } = expectationsOf(facts);
  if (!isSoundEnvelope(body)) return false;
  return listOf(body["choices"]).every(
    ({ message }) => !isRecord(message) || (isAssistants(message) && (isMistral || !isTexts(message["content"]))),
  );
}

const isAssistants = ({ role }: JsonObject): boolean => role === "assistant";

const isTexts = (content: unknown): boolean =>
  Array.isArray(content) && content.every((part) => isRecord(part) && typeof part["text"] === "string");

function readChoice(
  { index, message, finish_reason: finish }: JsonObject,
  place: number,
  expectations: Expectations,
): ClientTurn | undefined {
  if (!isRecord(message) || !isAssistants(message) || (index !== undefined && index !== place)) return undefined;
  const { content, function_call: legacy, tool_calls: given } = message;
  if (!isTextOrNone(content) && !(expectations.isMistral && Array.isArray(content))) return undefined;
  if (legacy && (expectations.isLegacy === false || !isRecord(legacy))) return undefined;
  const read = noCalls();
  const { calls } = read;
  const wires = given ?? [];
  const isFine =
    Array.isArray(wires) &&
    wires.every((wire, i) => isRecord(wire) && addDelta({ ...wire, index: i }, read, expectations) !== undefined) &&
    (!isRecord(legacy) || addLegacy(legacy, calls) !== undefined);
  if (!isFine) return undefined;
  return { calls: calls.map((call) => plainCall(call, true)), isEnded: isEndOf(finish, calls, expectations) };
}

/** Writes the assembled turns into a completion body. */
export const writeBody = (turns: readonly AssembledTurn[], body: JsonObject, facts?: RequestFacts): JsonObject => ({
  ...repairEnvelope(body),
  choices: listOf(body["choices"]).map((choice, i) => {
    const { error = body["error"] } = choice;
    return repairChoice(choice, i, turns[i], { expectations: expectationsOf(facts), isFailed: Boolean(error) });
  }),
});

interface Circumstances {
  readonly expectations: Expectations;
  /** True if the provider reports an error for this choice or the response. */
  readonly isFailed: boolean;
}

function repairChoice(
  choice: JsonObject,
  place: number,
  turn: AssembledTurn | undefined,
  around: Circumstances,
): JsonObject {
  const { expectations } = around;
  if (turn === undefined) return choice;
  const plain =
    turn.calls.length === 0 || isLegacyIn(choice, expectations) ? undefined : readChoice(choice, place, expectations);
  const isRead = plain !== undefined && hasSameCalls([{ ...plain, isEnded: true }], [turn]);
  return isRead ? { ...choice, finish_reason: turn.finish ?? "stop" } : writeChoice(choice, turn, around);
}

function writeChoice(choice: JsonObject, turn: AssembledTurn, { expectations, isFailed }: Circumstances): JsonObject {
  const given = choice["message"] ?? choice["delta"];
  const { role: _role, function_call: _legacy, tool_calls: _calls, ...message } = isRecord(given) ? given : {};
  const { delta: _delta, ...rest } = choice;
  const { calls, finish } = turn;
  const [call] = calls;
  const isLegacy = isLegacyIn(choice, expectations) && call !== undefined && calls.length === 1;
  const called = isLegacy
    ? { function_call: { name: call.name, arguments: argumentsText(call) } }
    : { ...(calls.length > 0 && { tool_calls: calls.map(wireOf) }) };
  return {
    ...rest,
    message: { role: "assistant", ...message, ...contentOf(message, turn, expectations), ...called },
    finish_reason: isLegacy ? "function_call" : calls.length === 0 ? endOf(choice, turn, isFailed) : (finish ?? "stop"),
    ...(expectations.isMistral ? {} : extraParts(message["content"])),
  };
}

/** True if the client reads `function_call`; if unknown, the received form decides. */
const isLegacyIn = ({ message }: JsonObject, { isLegacy }: Expectations): boolean =>
  isLegacy ?? (isRecord(message) && isRecord(message["function_call"]));

/**
 * The finish reason of a turn without calls, including a turn whose calls are omitted because the provider reports an
 * error.
 */
const endOf = ({ finish_reason: reason }: JsonObject, { finish }: AssembledTurn, isFailed: boolean): unknown =>
  isFailed && finish === "error" ? finish : reason;

/** The received content if clients can read it. Otherwise its text, with the reasoning in a separate field. */
function contentOf(
  { content }: JsonObject,
  { text, reasoning }: AssembledTurn,
  { isMistral }: Expectations,
): JsonObject {
  if (typeof content === "string" || (isMistral && Array.isArray(content))) return { content };
  if (!Array.isArray(content)) return { content: null };
  const hasThought = listOf(content).some(({ type }) => isThought(type));
  return { content: text === "" ? null : text, ...(hasThought && { reasoning_content: reasoning }) };
}
