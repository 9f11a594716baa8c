import { assemble, saysTheSame } from "#codecs";
import type { Cleaner, Wire } from "#codecs";
import { isRecord } from "#core";
import type { AssembledTurn } from "#core";

import { isBlank, isOllamas, opensObject } from "./body-opening.ts";
import { lookInto, restOf } from "./body-source.ts";
import type { BodySource } from "./body-source.ts";
import { askedIn } from "./asked-in.ts";
import { joined } from "./cut-events.ts";
import type { Exchange } from "./mend-response.ts";
import { toolsIn } from "./request-body.ts";

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
  await lookAt(joined(seen), exchange, (body, turns) => mendedText(body, turns, { cleaner, exchange }));
}

/** A whole answer as the text of a stream; undefined where it is none that can be told so. */
export async function wholeAsStream(
  source: BodySource,
  cleaner: Cleaner,
  exchange: Exchange,
): Promise<string | undefined> {
  const { bytes, isWhole } = await lookInto(source, (_, size) => size > exchange.maxBytes);
  if (!isWhole) return undefined;
  return lookAt(bytes, exchange, (body, turns) => {
    if (!turns.some(isAnswer)) return undefined;
    const { textOf, terminator } = cleaner.stream();
    tell(turns, exchange);
    const frames = cleaner.body.stream(turns, body, askedIn(exchange));
    return frames.map(textOf).join("") + terminator;
  });
}

/** What is made of an answer; undefined for one that is an error, or that nobody here can read. */
async function lookAt(
  bytes: Uint8Array,
  { endpoint, request, reporter }: Exchange,
  look: (body: Wire, turns: readonly AssembledTurn[]) => string | undefined,
): Promise<string | undefined> {
  try {
    const body: unknown = JSON.parse(new TextDecoder().decode(bytes));
    if (!isRecord(body) || body["error"] || (endpoint.format === "ollama" && !isOllamas(body))) return undefined;
    return look(body, await assemble([body], { format: endpoint.format, tools: toolsIn(request.body) }).turns());
  } catch (error) {
    if (!(error instanceof SyntaxError)) reporter.fail("response", request.url, error);
    return undefined;
  }
}

/** The text of an answer that is written as the format asks; undefined where it is so already. */
function mendedText(
  body: Wire,
  turns: readonly AssembledTurn[],
  { cleaner, exchange }: { readonly cleaner: Cleaner; readonly exchange: Exchange },
): string | undefined {
  const plain = cleaner.body.read(body, askedIn(exchange));
  const isFine = turns.every(({ calls }) => calls.length === 0) || (plain !== undefined && saysTheSame(plain, turns));
  if (isFine || turns.some(({ complete }) => !complete)) return undefined; // or it says itself that it is cut off
  tell(turns, exchange);
  return JSON.stringify(cleaner.body.write(turns, body, askedIn(exchange)));
}

/** True for a turn that says something, and no call that was cut off. */
const isAnswer = ({ calls, text, reasoning }: AssembledTurn): boolean =>
  calls.every(({ state }) => state !== "truncated") && (calls.length > 0 || text + reasoning !== "");

function tell(turns: readonly AssembledTurn[], { endpoint, request, mode, reporter }: Exchange): void {
  const anomalies = turns.flatMap((turn) => turn.anomalies).filter(({ kind }) => kind !== "whole-body");
  const isChanged = mode === "repair";
  reporter.tell({ side: "response", url: request.url, format: endpoint.format, isChanged, anomalies });
}
