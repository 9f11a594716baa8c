import { UndangleError } from "#core";
import type { AssembledTurn, JsonObject, StreamPart } from "#core";

import type { AiSdkTool } from "../ai-sdk/stream/decode.ts";
import type { AssemblerOptions } from "./assembler.ts";
import { toolNamesOf } from "./decoder.ts";
import { openSource } from "./events/source.ts";
import type { SourceChunks, StreamSource } from "./events/source.ts";
import { endMarker } from "./events/sse.ts";
import { streamFormatOf } from "./formats.ts";
import type { StreamFormat } from "./formats.ts";

/** Facts about a stream, and options of its assembly. */
export interface AssembleOptions {
  readonly format: StreamFormat;
  /** The offered tools: names, or definitions in any format. They resolve ambiguous names. */
  readonly tools?: readonly unknown[] | JsonObject | undefined;
  /** The content type of the response. Rarely needed, because the content is detected. */
  readonly contentType?: string | undefined;
  /** Call ids of the conversation so far. Generated ids avoid them. */
  readonly knownIds?: Iterable<string> | undefined;
  /** Accepts arguments that are almost JSON. Such a call has the state `repaired`. */
  readonly lenientArguments?: boolean | undefined;
  /** Recovers calls that a model wrote as text, for names in `tools`. */
  readonly recoverLeaked?: boolean | undefined;
}

const kinds: Readonly<
  Record<keyof AssembleOptions, { readonly allowed: string; readonly fits: (value: unknown) => boolean }>
> = {
  format: { allowed: "a format", fits: (value) => typeof value === "string" },
  tools: { allowed: "a list of tools", fits: (value) => typeof value === "object" && value !== null },
  contentType: { allowed: "a string", fits: (value) => typeof value === "string" },
  knownIds: {
    allowed: "ids",
    fits: (value) => typeof value === "object" && value !== null && Symbol.iterator in value,
  },
  lenientArguments: { allowed: "true or false", fits: (value) => typeof value === "boolean" },
  recoverLeaked: { allowed: "true or false", fits: (value) => typeof value === "boolean" },
};

/** Throws for unknown options and invalid values. */
function validateAssembleOptions(options: AssembleOptions): void {
  if (typeof options !== "object" || options === null) {
    throw new UndangleError("options/value", {
      option: "options",
      value: options,
      allowed: ["an object with a format"],
    });
  }
  for (const [option, value] of Object.entries<unknown>({ ...options })) {
    const kind = Object.hasOwn(kinds, option) ? kinds[option as keyof AssembleOptions] : undefined;
    if (kind === undefined) throw new UndangleError("options/unknown", { option, allowed: Object.keys(kinds) });
    if (value !== undefined && !kind.fits(value)) {
      throw new UndangleError("options/value", { option, value, allowed: [kind.allowed] });
    }
  }
}

/** A stream during assembly: its parts as they arrive, and the turn at the end. */
export interface AssembledStream extends AsyncIterable<StreamPart> {
  /**
   * Resolves at the end of the stream. Never rejects: a broken stream yields what was received, with `complete: false`.
   */
  turn(): Promise<AssembledTurn>;
  /** All turns, for requests with `n > 1`. */
  turns(): Promise<readonly AssembledTurn[]>;
}

/** Assembles the stream of a model, even if the stream is malformed or breaks off. */
export function assemble(source: StreamSource, options: AssembleOptions): AssembledStream {
  validateAssembleOptions(options);
  const { tools, knownIds, lenientArguments = false, recoverLeaked = false } = options;
  const given: AssemblerOptions = {
    format: streamFormatOf(options.format),
    tools: toolNamesOf(tools),
    knownIds: setOf(knownIds),
    lenient: lenientArguments,
    recoversLeaked: recoverLeaked,
  };
  const chunks = openSource(source);
  return later(() => load(chunks, given));
}

/** Assembles a complete response body for a client. Only function calls are read. */
export function assembleBody(
  body: object,
  { format, tools, isOver }: { readonly format: StreamFormat; readonly tools: unknown; readonly isOver: boolean },
): AssembledStream {
  const chunks = openSource(isOver ? [body, endMarker] : [body]);
  const options = { format, tools: toolNamesOf(tools), knownIds: new Set<string>(), lenient: false };
  return later(() => load(chunks, { ...options, recoversLeaked: false, hasClientTools: false }));
}

/** Assembles the stream parts of an AI SDK model, which has already decoded its provider's stream. */
export function assembleAiSdk(
  source: AsyncIterable<unknown>,
  { tools, knownIds }: { readonly tools: readonly AiSdkTool[]; readonly knownIds: Iterable<string> },
): AssembledStream {
  const chunks = openSource(source);
  const known = setOf(knownIds);
  return later(async () => {
    const { decodeAiSdk } = await import("../ai-sdk/stream/decode.ts");
    const names = tools.length === 0 ? undefined : toolNamesOf(tools);
    return load(chunks, {
      format: (assembly) => decodeAiSdk(assembly, tools),
      tools: names,
      knownIds: known,
      lenient: false,
      recoversLeaked: false,
    });
  });
}

/** Reuses an existing set, which may be large. */
const setOf = (ids: Iterable<string> | undefined): ReadonlySet<string> => (ids instanceof Set ? ids : new Set(ids));

/** A stream that opens on first use. */
function later(load: () => Promise<AssembledStream>): AssembledStream {
  let stream: Promise<AssembledStream> | undefined;
  const open = (): Promise<AssembledStream> => (stream ??= load());
  return {
    turn: async () => (await open()).turn(),
    turns: async () => (await open()).turns(),
    [Symbol.asyncIterator]: () => iterate(open),
  };
}

/** Loads the decoders with the first stream, so that programs that only repair histories do not load them. */
async function load(chunks: SourceChunks, options: AssemblerOptions): Promise<AssembledStream> {
  const { createAssembler } = await import("./assembler.ts");
  return createAssembler(chunks, options);
}

/** Iterates over the parts of a stream that is not open yet. */
function iterate(open: () => Promise<AssembledStream>): AsyncIterableIterator<StreamPart, undefined> {
  let parts: AsyncIterator<StreamPart> | undefined;
  const opened = async (): Promise<AsyncIterator<StreamPart>> => {
    const stream = await open();
    return (parts ??= stream[Symbol.asyncIterator]());
  };
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    next: () => (parts === undefined ? opened().then((each) => each.next()) : parts.next()),
    return: async () => {
      await (await opened()).return?.();
      return { done: true, value: undefined };
    },
  };
}
