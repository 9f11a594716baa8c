import { assembleBody, dialects, hasSameCalls } from "#codecs";
import type { ResponseWriter } from "#codecs";
import { anomalies, isRecord } from "#core";
import type { Anomaly, AssembledTurn, JsonObject } from "#core";

import { requestedResponse, requestFacts, reportTurns } from "../reporter.ts";
import type { Exchange } from "../reporter.ts";
import { numberLiteralsIn } from "../request/repair-request.ts";
import { toolsIn } from "../request/read-request.ts";
import { misreadReason } from "../stream/failure-reasons.ts";
import { withoutCalls } from "../stream/finish.ts";
import { concat } from "../stream/framing.ts";
import { isBlank, isOllamaValue, opensObject, peek, restOf } from "./peekable-body.ts";
import type { PeekableBody } from "./peekable-body.ts";

/** Passes on a JSON response when it is complete, repaired. Other content passes at once. */
export async function* repairBody(
  source: PeekableBody,
  writer: ResponseWriter,
  exchange: Exchange,
): AsyncGenerator<Uint8Array, void> {
  let chunk = await source.read();
  for (; chunk !== undefined && isBlank(chunk); chunk = await source.read()) yield chunk; // it keeps the connection alive
  if (chunk === undefined) return;
  source.putBack([chunk]);
  const repaired = opensObject(chunk) ? await repairWhole(source, writer, exchange) : undefined;
  if (repaired === undefined) yield* restOf(source);
  else yield new TextEncoder().encode(repaired);
}

async function repairWhole(
  source: PeekableBody,
  writer: ResponseWriter,
  exchange: Exchange,
): Promise<string | undefined> {
  const { bytes, isWhole } = await peek(source, (_, size) => size > exchange.maxBytes);
  return isWhole
    ? rewrite(bytes, exchange, (body, turns) => repairedText(body, turns, { writer, exchange }))
    : undefined;
}

/** Passes on a JSON response unchanged, at once, and reports what is wrong with it. */
export async function* watchBody(
  source: PeekableBody,
  writer: ResponseWriter,
  exchange: Exchange,
): AsyncGenerator<Uint8Array, void> {
  const seen: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of restOf(source)) {
    size += chunk.length;
    if (size <= exchange.maxBytes) seen.push(chunk.slice()); // the consumer may transfer (detach) its buffer
    else seen.length = 0;
    yield chunk;
  }
  if (size > exchange.maxBytes) return;
  const make = requestedResponse(exchange) === "stream" ? streamText : repairedText;
  await rewrite(concat(seen), exchange, (body, turns) => make(body, turns, { writer, exchange }));
}

/** A JSON response as the text of a stream. Undefined if it cannot be written as one. */
export async function bodyAsStream(
  source: PeekableBody,
  writer: ResponseWriter,
  exchange: Exchange,
): Promise<string | undefined> {
  const { bytes, isWhole } = await peek(source, (_, size) => size > exchange.maxBytes);
  if (!isWhole) return undefined;
  return rewrite(bytes, exchange, (body, turns) => streamText(body, turns, { writer, exchange }));
}

/** The text of a stream with the content of a response. Undefined if that is empty, truncated, or would be misread. */
function streamText(
  body: JsonObject,
  turns: readonly AssembledTurn[],
  { writer, exchange }: Context,
): string | undefined {
  const facts = requestFacts(exchange);
  const { serialize, endMarker, misreads } = writer.stream(facts);
  if (!turns.some(hasContent) || hasFailed(body, turns)) return undefined;
  if (misreadReason(turns, misreads) !== undefined) return undefined;
  const frames = writer.body.stream(turns, body, facts);
  return frames.map(serialize).join("") + endMarker;
}

interface Context {
  readonly writer: ResponseWriter;
  readonly exchange: Exchange;
}

/** Rewrites a response and reports it. Undefined for an error, for a valid response, and for one that cannot be read. */
async function rewrite(bytes: Uint8Array, exchange: Exchange, make: Make): Promise<string | undefined> {
  try {
    const text = new TextDecoder().decode(bytes);
    const { turns, made, isUnrepairable } = await madeFrom(text, exchange, make);
    if (made !== undefined) report(turns, exchange);
    else if (isUnrepairable || turns.some(hasTruncatedCall)) report(turns, { ...exchange, mode: "warn" }); // it passes unchanged
    if (made === undefined) return undefined;
    const literals = numberLiteralsIn(text);
    if (literals === undefined) return made;
    const again = await madeFrom(literals.masked, exchange, make);
    return again.made === undefined ? made : literals.restore(again.made, made);
  } catch (error) {
    if (!(error instanceof SyntaxError)) exchange.reporter.fail("response", exchange.request.url, error);
    return undefined;
  }
}

type Make = (body: JsonObject, turns: readonly AssembledTurn[]) => string | undefined;

async function madeFrom(text: string, { endpoint: { format }, request }: Exchange, make: Make): Promise<Made> {
  const body: unknown = JSON.parse(text);
  const dialect = dialects[format];
  if (
    !isRecord(body) ||
    (body["error"] && !isNextToChoices(body)) ||
    (dialect.framing === "lines" && !isOllamaValue(body))
  )
    return { turns: [], made: undefined, isUnrepairable: false };
  const isOver = dialect.end === "end-marker"; // a complete body ends the turn, also without a finish reason
  const read = await assembleBody(body, { format, tools: toolsIn(request.body), isOver }).turns();
  const turns = dialect.end === "body" ? read.map(withEnd) : read;
  const made = make(body, turns);
  const isUnrepairable = made !== undefined && made === JSON.stringify(body);
  return { turns, made: isUnrepairable ? undefined : made, isUnrepairable };
}

interface Made {
  readonly turns: readonly AssembledTurn[];
  readonly made: string | undefined;
  /** Something is wrong with it that the writer cannot change. */
  readonly isUnrepairable: boolean;
}

/** A Gemini turn without a finish reason. In a complete body it has ended, if all its calls have arguments. */
function withEnd(turn: AssembledTurn): AssembledTurn {
  const { calls, finish, error } = turn;
  const isWhole = calls.length > 0 && calls.every(({ state, raw }) => state === "ready" && raw !== "{}");
  if (finish !== null || error !== undefined || !isWhole) return turn;
  const found = turn.anomalies.map((each): Anomaly => (each.kind === "stream-cut" ? { ...each, ...noReason } : each));
  return { ...turn, finish: "tool_calls", complete: true, anomalies: found };
}

const noReason = { kind: "finish-missing", message: anomalies["finish-missing"] } as const;

/** The text of a response as the format requires it. Undefined if it is valid already. */
function repairedText(
  body: JsonObject,
  turns: readonly AssembledTurn[],
  { writer, exchange }: Context,
): string | undefined {
  const facts = requestFacts(exchange);
  const hasCalls = turns.some(({ calls }) => calls.length > 0);
  if (!hasCalls && body["error"]) return undefined;
  if (hasCalls && hasFailed(body, turns)) return JSON.stringify(writer.body.write(withoutCalls(turns), body, facts));
  const seen = hasCalls ? writer.body.clientTurns(body, facts) : undefined;
  const isValid = hasCalls
    ? seen !== undefined && hasSameCalls(seen, turns)
    : writer.body.isTextVisible(body, facts) || turns.every(({ text }) => text === "");
  if (isValid || (hasCalls && turns.some(({ complete }) => !complete))) return undefined; // its finish reason shows the truncation
  return JSON.stringify(writer.body.write(turns, body, facts));
}

/** True if the provider reports an error for a choice or the whole response. Calls beside it must not run. */
const hasFailed = ({ choices, error }: JsonObject, turns: readonly AssembledTurn[]): boolean =>
  Array.isArray(choices) &&
  turns.some(isFailed) &&
  (Boolean(error) || choices.some((choice) => isRecord(choice) && choice["error"]));

/** True for a non-empty error beside choices: clients read only the choices. */
const isNextToChoices = ({ choices, error }: JsonObject): boolean =>
  Array.isArray(choices) && choices.length > 0 && (!isRecord(error) || Object.values(error).some(Boolean));

const isFailed = ({ error }: AssembledTurn): boolean => error?.from === "provider";

/** True for a turn with text or calls, of which none is truncated. */
const hasContent = ({ calls, text, reasoning }: AssembledTurn): boolean =>
  calls.every(({ state }) => state !== "truncated") && (calls.length > 0 || text + reasoning !== "");

/** True for a turn with a truncated call whose finish reason claims that it is complete. */
const hasTruncatedCall = ({ calls, finish }: AssembledTurn): boolean =>
  finish === "tool_calls" && calls.some(({ state }) => state === "truncated");

/** Reports what was wrong with a response. That it is not a stream counts only if one was requested. */
function report(turns: readonly AssembledTurn[], exchange: Exchange): void {
  const isStream = requestedResponse(exchange) === "stream";
  const isFault = ({ kind }: Anomaly): boolean => isStream || kind !== "whole-body";
  reportTurns(
    turns.map((turn) => ({ ...turn, anomalies: turn.anomalies.filter(isFault) })),
    exchange,
  );
}
