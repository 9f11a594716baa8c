import { assembleBody, saysTheSame } from "#codecs";
import type { Cleaner, Wire } from "#codecs";
import { anomalies, isRecord } from "#core";
import type { Anomaly, AssembledTurn } from "#core";

import { isBlank, isOllamas, opensObject } from "./body-opening.ts";
import { lookInto, restOf } from "./body-source.ts";
import type { BodySource } from "./body-source.ts";
import { askedIn } from "./asked-in.ts";
import { joined } from "./cut-events.ts";
import { exactNumbersIn } from "./exact-numbers.ts";
import type { Exchange } from "./mend-response.ts";
import { isStreamAsked, toolsIn } from "./request-body.ts";
import { tellingOf, tellTurns } from "./tell-turns.ts";
import { withoutCalls } from "./unsent-calls.ts";
import { whyUnread } from "./why-cut-off.ts";

/** Passes an answer that is one body on when it is over, mended; what is none passes at once. */
export async function* mendWhole(
  source: BodySource,
  cleaner: Cleaner,
  exchange: Exchange,
): AsyncGenerator<Uint8Array, void> {
  let piece = await source.read();
  for (; piece !== undefined && isBlank(piece); piece = await source.read()) yield piece; // they keep a line open
  if (piece === undefined) return;
  source.putBack([piece]);
  const mended = opensObject(piece) ? await lookAtAll(source, cleaner, exchange) : undefined;
  if (mended === undefined) yield* restOf(source);
  else yield new TextEncoder().encode(mended);
}

async function lookAtAll(source: BodySource, cleaner: Cleaner, exchange: Exchange): Promise<string | undefined> {
  const { bytes, isWhole } = await lookInto(source, (_, size) => size > exchange.maxBytes);
  return isWhole ? lookAt(bytes, exchange, (body, turns) => mendedText(body, turns, { cleaner, exchange })) : undefined;
}

/** Passes an answer that is one body on as it is, at once, and tells what is wrong with it. */
export async function* watchWhole(
  source: BodySource,
  cleaner: Cleaner,
  exchange: Exchange,
): AsyncGenerator<Uint8Array, void> {
  const seen: Uint8Array[] = [];
  let size = 0;
  for await (const piece of restOf(source)) {
    size += piece.length;
    if (size <= exchange.maxBytes) seen.push(piece.slice()); // whoever gets the bytes may make away with them
    else seen.length = 0;
    yield piece;
  }
  if (size > exchange.maxBytes) return;
  const made = isStreamAsked(exchange.request, exchange.endpoint.format) ? streamText : mendedText;
  await lookAt(joined(seen), exchange, (body, turns) => made(body, turns, { cleaner, exchange }));
}

/** A whole answer as the text of a stream; undefined where it is none that can be told so. */
export async function wholeAsStream(
  source: BodySource,
  cleaner: Cleaner,
  exchange: Exchange,
): Promise<string | undefined> {
  const { bytes, isWhole } = await lookInto(source, (_, size) => size > exchange.maxBytes);
  if (!isWhole) return undefined;
  return lookAt(bytes, exchange, (body, turns) => streamText(body, turns, { cleaner, exchange }));
}

/** The text of a stream that says what an answer says; undefined where that says nothing, was cut off, or would be misread. */
function streamText(
  body: Wire,
  turns: readonly AssembledTurn[],
  { cleaner, exchange }: Surroundings,
): string | undefined {
  const asked = askedIn(exchange);
  const { textOf, terminator, misreads } = cleaner.stream(asked);
  if (!turns.some(isAnswer) || hasFailed(body, turns)) return undefined;
  if (whyUnread(turns, misreads) !== undefined) return undefined;
  const frames = cleaner.body.stream(turns, body, asked);
  return frames.map(textOf).join("") + terminator;
}

interface Surroundings {
  readonly cleaner: Cleaner;
  readonly exchange: Exchange;
}

/** What is made of an answer, which is told; undefined for one that is an error, or that nobody here can read. */
async function lookAt(bytes: Uint8Array, exchange: Exchange, look: Look): Promise<string | undefined> {
  try {
    const text = new TextDecoder().decode(bytes);
    const { turns, made, isLeft } = await madeOf(text, exchange, look);
    if (made !== undefined) tell(turns, exchange);
    else if (isLeft || turns.some(isCutOff)) tell(turns, { ...exchange, mode: "warn" }); // it passes as it is
    if (made === undefined) return undefined;
    const numbers = exactNumbersIn(text);
    if (numbers === undefined) return made;
    const again = await madeOf(numbers.masked, exchange, look);
    return again.made === undefined ? made : numbers.restore(again.made, made);
  } catch (error) {
    if (!(error instanceof SyntaxError)) exchange.reporter.fail("response", exchange.request.url, error);
    return undefined;
  }
}

type Look = (body: Wire, turns: readonly AssembledTurn[]) => string | undefined;

async function madeOf(text: string, { endpoint: { format }, request }: Exchange, look: Look): Promise<Made> {
  const body: unknown = JSON.parse(text);
  if (!isRecord(body) || (body["error"] && !isBesideChoices(body)) || (format === "ollama" && !isOllamas(body)))
    return { turns: [], made: undefined, isLeft: false };
  const isOver = format === "openai-chat"; // a body that is whole is, also without a reason
  const read = await assembleBody(body, { format, tools: toolsIn(request.body), isOver }).turns();
  const turns = format === "gemini" ? read.map(withEnd) : read;
  const made = look(body, turns);
  const isLeft = made !== undefined && made === JSON.stringify(body);
  return { turns, made: isLeft ? undefined : made, isLeft };
}

interface Made {
  readonly turns: readonly AssembledTurn[];
  readonly made: string | undefined;
  /** Something is wrong with it that nothing can be done about. */
  readonly isLeft: boolean;
}

/** A turn of Gemini's, of which only the reason says that it is over: in a whole body it is, if all calls have arguments. */
function withEnd(turn: AssembledTurn): AssembledTurn {
  const { calls, finish, error } = turn;
  const isWhole = calls.length > 0 && calls.every(({ state, raw }) => state === "ready" && raw !== "{}");
  if (finish !== null || error !== undefined || !isWhole) return turn;
  const told = turn.anomalies.map((each): Anomaly => (each.kind === "stream-cut" ? { ...each, ...noReason } : each));
  return { ...turn, finish: "tool_calls", complete: true, anomalies: told };
}

const noReason = { kind: "finish-missing", message: anomalies["finish-missing"] } as const;

/** The text of an answer that is written as the format asks; undefined where it is so already. */
function mendedText(
  body: Wire,
  turns: readonly AssembledTurn[],
  { cleaner, exchange }: Surroundings,
): string | undefined {
  const asked = askedIn(exchange);
  const hasCalls = turns.some(({ calls }) => calls.length > 0);
  if (!hasCalls && body["error"]) return undefined;
  if (hasCalls && hasFailed(body, turns)) return JSON.stringify(cleaner.body.write(withoutCalls(turns), body, asked));
  const plain = hasCalls ? cleaner.body.read(body, asked) : undefined;
  const isFine = hasCalls
    ? plain !== undefined && saysTheSame(plain, turns)
    : (cleaner.body.isTold?.(body, asked) ?? true) || turns.every(({ text }) => text === "");
  if (isFine || (hasCalls && turns.some(({ complete }) => !complete))) return undefined; // or it says itself that it is cut off
  return JSON.stringify(cleaner.body.write(turns, body, asked));
}

/** True where a choice has an error of the provider, or all have one: the calls beside it are none to be run. */
const hasFailed = ({ choices, error }: Wire, turns: readonly AssembledTurn[]): boolean =>
  Array.isArray(choices) &&
  turns.some(isFailed) &&
  (Boolean(error) || choices.some((choice) => isRecord(choice) && choice["error"]));

/** True for an error that says something and stands beside choices: clients look at those alone. */
const isBesideChoices = ({ choices, error }: Wire): boolean =>
  Array.isArray(choices) && choices.length > 0 && (!isRecord(error) || Object.values(error).some(Boolean));

const isFailed = ({ error }: AssembledTurn): boolean => error?.from === "provider";

/** True for a turn that says something, and no call that was cut off. */
const isAnswer = ({ calls, text, reasoning }: AssembledTurn): boolean =>
  calls.every(({ state }) => state !== "truncated") && (calls.length > 0 || text + reasoning !== "");

/** True for a turn with a call that was cut off, of which the answer says that it is whole. */
const isCutOff = ({ calls, finish }: AssembledTurn): boolean =>
  finish === "tool_calls" && calls.some(({ state }) => state === "truncated");

/** Tells what was wrong with an answer: that it is one body only where a stream was asked for. */
function tell(turns: readonly AssembledTurn[], exchange: Exchange): void {
  const isStream = isStreamAsked(exchange.request, exchange.endpoint.format);
  const isFault = ({ kind }: Anomaly): boolean => isStream || kind !== "whole-body";
  tellTurns(
    turns.map((turn) => ({ ...turn, anomalies: turn.anomalies.filter(isFault) })),
    tellingOf(exchange),
  );
}
