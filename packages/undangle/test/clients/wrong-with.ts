import { isDeepStrictEqual } from "node:util";
import { assemble } from "undangle";
import { faults as faultTable } from "undangle/testing";
import type { FaultName, WireFormat } from "undangle/testing";
import { isRecord } from "../../src/testing/judge/loose.ts";
import { bytesOf } from "../../src/testing/play/bytes.ts";
import { playTurn } from "../../src/testing/play/play-turn.ts";
import type { Turn } from "../../src/testing/scripted-turn.ts";
import { valueOf } from "./manner.ts";
import { toolNames } from "./program.ts";
import type { Answer } from "./program.ts";

/** What was sent. */
export interface Sent {
  readonly turn: Turn;
  readonly format: WireFormat;
  readonly faults: readonly FaultName[];
}

/** Why a program must not get that answer; undefined where all is well. */
export async function wrongWith({ text, calls, error }: Answer, sent: Sent): Promise<string | undefined> {
  const { turn } = sent;
  const expected = await expectationOf(sent);
  if (error !== undefined) return expected === "same" ? `lost: ${String(error)}` : undefined; // nothing of it is used
  const left = turn.calls.map(({ name, arguments: args }) => ({ name, args }));
  for (const { name, arguments: given } of calls) {
    const args = typeof given === "string" ? valueOf(given) : (given ?? {});
    if (!isRecord(args)) continue; // nobody runs that
    const at = left.findIndex((call) => call.name === name && isDeepStrictEqual(call.args, args));
    if (at < 0) return `unsafe: nobody called ${String(name)} with ${JSON.stringify(args)}, or not that often`;
    left.splice(at, 1);
  }
  if (expected === "nothing" && calls.length > 0) return "unsafe: a call of a turn that was cut off";
  if (expected === "nothing" && isLoud(sent.faults)) return "silent: the response was cut off, and nobody said so";
  if (expected !== "same") return undefined;
  if (left.length > 0) return `lost: ${JSON.stringify(left)}`;
  if (text !== turn.text) return `lost: ${turn.text} was heard as ${text}`;
  const ids = calls.map(({ id }) => id);
  const hasIds = sent.format !== "gemini" && sent.format !== "ollama";
  return hasIds && new Set(ids.filter(Boolean)).size < ids.length ? `ids: ${ids.join(", ")}` : undefined;
}

/** Whether whoever listens gets to know that something went wrong, unless a later fault takes that away. */
const isLoud = (faults: readonly FaultName[]): boolean =>
  faults.includes("cut") ||
  (faults.some((name) => /^error-(?:in|text)/u.test(name)) && !faults.includes("cut-quietly"));

/**
 * What an answer has to be: the same as was meant, nothing but text, or anything that is safe. One fault says so itself; what
 * becomes of several, `assemble` tells: a client must not hear less than it does.
 */
async function expectationOf({ turn, format, faults }: Sent): Promise<"same" | "nothing" | "safe"> {
  const outcomes = faults.map((name) => faultTable[name].outcome);
  if (outcomes.length === 0) return "same";
  if (outcomes.includes("leaked")) return "safe";
  if (outcomes.length === 1 && outcomes[0] === "same") return "same";
  const played = playTurn(turn, format, faults);
  if (format === "bedrock") return "safe";
  const { complete, text, calls } = await assemble(sentBy(bytesOf(played), played.transport.cutAt !== undefined), {
    format,
    tools: toolNames,
  }).turn();
  if (!complete) return faults.includes("ollama-call-at-end") ? "safe" : "nothing"; // an error may stand behind its end
  const isSame = text === turn.text && isDeepStrictEqual(calls.map(what), turn.calls.map(what));
  return isSame && outcomes.every((outcome) => outcome === "same") ? "same" : "safe";
}

const what = ({ name, arguments: args }: { readonly name: string; readonly arguments: unknown }) => [name, args];

async function* sentBy(writes: readonly Uint8Array[], isCut: boolean): AsyncGenerator<Uint8Array> {
  yield* writes;
  if (isCut) throw new Error("The connection was reset.");
}
