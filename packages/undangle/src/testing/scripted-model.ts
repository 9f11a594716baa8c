import { setTimeout as pause } from "node:timers/promises";

import { assemble } from "#codecs";
import type { AssembledStream } from "#codecs";
import { UndangleError } from "#core";
import type { AssembledTurn, StreamPart } from "#core";
import type { Model, ModelRequest, ModelStream } from "#model";

import { directStream } from "./direct-stream.ts";
import type { WireFormat } from "./faults/fault.ts";
import { faultNames } from "./faults/faults.ts";
import { bytesOf } from "./play/bytes.ts";
import { playTurn } from "./play/play-turn.ts";
import type { Played } from "./play/played.ts";
import { players } from "./play/players.ts";
import { attemptsIn, discardingStream } from "./scripted-discard.ts";
import type { ScriptedDiscard } from "./scripted-discard.ts";
import { completeTurn } from "./scripted-turn.ts";
import type { ScriptedTurn, Turn } from "./scripted-turn.ts";

/** A turn of a scripted model, or a function that creates it from the request. */
export type ScriptedAnswer = ScriptedTurn | ((request: ModelRequest) => ScriptedTurn | Promise<ScriptedTurn>);

export interface ScriptedModelOptions {
  /** For logs and events. */
  readonly name?: string;
  /** The format in which its turns are played. */
  readonly format?: WireFormat;
  /** Starts again after the last turn. */
  readonly loop?: boolean;
  /** False plays turns without faults as bytes too. Only `openai-chat` supports the direct path. */
  readonly direct?: boolean;
}

/** A model that follows a script, including its faults. */
export interface ScriptedModel extends Model {
  /** The requests so far, with their messages at the time. */
  readonly requests: readonly ModelRequest[];
  /** The number of requests. */
  readonly calls: number;
}

/** Creates a model from a list of turns, for tests; `{ discard }` between two turns discards the first. */
export function scriptedModel(
  turns: readonly (ScriptedAnswer | ScriptedDiscard)[],
  options: ScriptedModelOptions = {},
): ScriptedModel {
  validate(turns, options);
  const answers = attemptsIn(turns);
  answers.forEach(({ discarded, answer }) =>
    [...discarded.map((one) => one.answer), answer].forEach(refuseUnknownFaults),
  );
  const { name = "scripted", format = "openai-chat", loop = false, direct = true } = options;
  const isChat = format === "openai-chat";
  const requests: ModelRequest[] = [];
  return {
    name,
    requests,
    get calls() {
      return requests.length;
    },
    stream(given): ModelStream {
      const { messages, knownIds } = given;
      const ids = knownIds instanceof Set ? knownIds : new Set(knownIds); // an iterator can be read only once
      const request = { ...given, messages: [...messages], knownIds: ids };
      const serial = requests.push(request);
      const attempts = answers[loop ? (serial - 1) % answers.length : serial - 1];
      if (attempts === undefined) return failing(exhausted(answers.length, serial));
      const play = (scripted: ScriptedTurn): AssembledStream => {
        const turn = completeTurn(scripted, serial, name);
        const { faults = [], pace } = scripted;
        const isHealthy = faults.length === 0 && pace === undefined;
        const stream = direct && isChat && isHealthy ? directStream(turn, request.knownIds) : undefined;
        return stream ?? playedStream(turn, { scripted, format, request });
      };
      const open = (answer: ScriptedAnswer): AssembledStream => {
        const isPlain = typeof answer !== "function" && answer.delay === undefined && answer.error === undefined;
        if (isPlain && !request.signal.aborted) return play(answer);
        return later(async () => {
          request.signal.throwIfAborted();
          const scripted = typeof answer === "function" ? await answer(request) : answer;
          if (scripted.delay !== undefined) await wait(scripted.delay, request.signal);
          if (scripted.error !== undefined) throw refusal(scripted.error);
          return play(scripted);
        });
      };
      return discardingStream(attempts, open, request.signal);
    },
  };
}

function validate(turns: unknown, options: ScriptedModelOptions): void {
  const allowed = ["name", "format", "loop", "direct"];
  for (const option of Object.keys(options)) {
    if (!allowed.includes(option)) throw new UndangleError("options/unknown", { option, allowed });
  }
  const { format = "openai-chat" } = options;
  const formats = Object.keys(players);
  if (!formats.includes(format)) {
    throw new UndangleError("options/value", { option: "format", value: format, allowed: formats });
  }
  if (!Array.isArray(turns)) {
    throw new UndangleError("options/value", { option: "turns", value: turns, allowed: ["a list of turns"] });
  }
}

function refuseUnknownFaults(answer: ScriptedAnswer): void {
  const { faults = [] } = typeof answer === "function" ? {} : answer;
  const unknown = faults.find((name) => !faultNames().includes(name));
  if (unknown !== undefined) {
    throw new UndangleError("options/value", { option: "faults", value: unknown, allowed: faultNames() });
  }
}

const exhausted = (turns: number, serial: number): Error =>
  new Error(`The script has ${turns} turns, and this is request ${serial}: give it more turns, or loop: true.`);

/** An error response, as a provider client throws it. */
function refusal({ status, message, headers = {} }: NonNullable<ScriptedTurn["error"]>): Error {
  return Object.assign(new Error(message), { name: "ProviderError", status, headers });
}

interface Playing {
  readonly scripted: ScriptedTurn;
  readonly format: WireFormat;
  readonly request: ModelRequest;
}

/** The turn in its wire format with its faults, read like a provider response. */
function playedStream(turn: Turn, { scripted, format, request }: Playing): AssembledStream {
  const played = playTurn(turn, format, scripted.faults ?? []);
  const { cutAt, cutQuietly } = played.transport;
  const { signal, tools, knownIds } = request;
  async function* pieces(): AsyncGenerator {
    for (const piece of piecesOf(played)) {
      signal.throwIfAborted();
      yield piece;
      if (scripted.pace !== undefined) await wait(scripted.pace, signal);
    }
    if (cutAt !== undefined && !cutQuietly) throw new TypeError("terminated"); // the error of fetch
  }
  return assemble(pieces(), { format, tools, knownIds });
}

/** The bytes. Amazon's binary events are decoded as in its SDK, because no other client reads them. */
function piecesOf(played: Played): readonly unknown[] {
  const { frames, transport } = played;
  if (transport.kind !== "events") return bytesOf(played);
  const kept = transport.cutAt === undefined ? frames : frames.slice(0, Math.floor(frames.length * transport.cutAt));
  return kept.map(({ event = "", data }) => ({ [event]: data }));
}

async function wait(milliseconds: number, signal: AbortSignal): Promise<void> {
  try {
    await pause(milliseconds, undefined, { signal });
  } catch {
    signal.throwIfAborted(); // with the reason of the abort
  }
}

const failing = (error: Error): AssembledStream =>
  later(async () => {
    throw error;
  });

/** A stream that is opened on first use, and may fail then. */
function later(open: () => Promise<AssembledStream>): AssembledStream {
  let opened: Promise<AssembledStream> | undefined;
  const stream = (): Promise<AssembledStream> => (opened ??= open());
  return {
    turn: async (): Promise<AssembledTurn> => (await stream()).turn(),
    turns: async () => (await stream()).turns(),
    async *[Symbol.asyncIterator](): AsyncGenerator<StreamPart, undefined> {
      yield* await stream();
    },
  };
}
