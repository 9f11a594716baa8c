import type { Finish, StreamFormat } from "undangle";

/** A frame: an object that is sent as JSON, or a text that is sent as it is. */
export type Frame = Readonly<Record<string, unknown>> | string;

/** A call as it has to come out; an id of null is one that had to be generated. */
export interface ExpectedCall {
  readonly id: string | null;
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>> | null;
  readonly state: "ready" | "truncated" | "malformed" | "repaired";
}

/** The turn that is right for a stream. */
export interface ExpectedTurn {
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly ExpectedCall[];
  readonly finish: Finish;
  readonly complete: boolean;
}

export interface StreamFixture {
  readonly id: string;
  readonly kind: string;
  readonly format: StreamFormat;
  /** What the server sends. */
  readonly sent: string;
  /** The same as frames that somebody else has parsed; undefined where the bytes are the point. */
  readonly frames: readonly Frame[] | undefined;
  readonly options: {
    readonly tools?: readonly string[];
    readonly knownIds?: readonly string[];
    readonly lenientArguments?: boolean;
    readonly recoverLeaked?: boolean;
  };
  readonly expected: ExpectedTurn;
  /** Kinds of anomalies that must be told. */
  readonly anomalies: readonly string[];
}

/** A fixture as its file writes it. */
export type StreamSpec = {
  readonly expect: ExpectedTurn;
  readonly anomalies?: readonly string[];
} & StreamFixture["options"] &
  ({ readonly frames: readonly Frame[] } | { readonly sent: string });

/** The fixtures of one format, by the kind of what is wrong and a slug. */
export function streams(
  format: StreamFormat,
  kinds: Readonly<Record<string, Readonly<Record<string, StreamSpec>>>>,
): readonly StreamFixture[] {
  return Object.entries(kinds).flatMap(([kind, specs]) =>
    Object.entries(specs).map(([slug, { expect: expected, anomalies = [], ...spec }]) => {
      const { tools, knownIds, lenientArguments, recoverLeaked } = spec;
      const frames = "frames" in spec ? spec.frames : undefined;
      const sent = "sent" in spec ? spec.sent : (wires[format] ?? sse)(...spec.frames);
      const options = {
        ...(tools && { tools }),
        ...(knownIds && { knownIds }),
        ...(lenientArguments && { lenientArguments }),
        ...(recoverLeaked && { recoverLeaked }),
      };
      return { id: `${format}: ${slug}`, kind, format, sent, frames, options, expected, anomalies };
    }),
  );
}

/** Server-sent events, one a frame. */
export const sse = (...frames: readonly Frame[]): string => frames.map((frame) => `data: ${line(frame)}\n\n`).join("");

/** Server-sent events that also name their type. */
const named = (...frames: readonly Frame[]): string =>
  frames
    .map((frame) => `${typeof frame === "string" ? "" : `event: ${String(frame["type"])}\n`}data: ${line(frame)}\n\n`)
    .join("");

/** Lines of JSON. */
export const lines = (...frames: readonly Frame[]): string => frames.map((frame) => `${line(frame)}\n`).join("");

const line = (frame: Frame): string => (typeof frame === "string" ? frame : JSON.stringify(frame));

const wires: Partial<Readonly<Record<StreamFormat, typeof sse>>> = {
  anthropic: named,
  "openai-responses": named,
  ollama: lines,
  bedrock: lines,
};

/** A turn that ended well, unless told otherwise: with calls if there are any. */
export function turn({
  text = "",
  reasoning = "",
  calls = [],
  finish = calls.length > 0 ? "tool_calls" : "stop",
  complete = true,
}: Partial<ExpectedTurn> = {}): ExpectedTurn {
  return { text, reasoning, calls, finish, complete };
}

/** A turn that broke off. */
export const cut = (given: Partial<ExpectedTurn> = {}): ExpectedTurn =>
  turn({ finish: null, complete: false, ...given });

/** A turn that ended in an error. */
export const failed = (given: Partial<ExpectedTurn> = {}): ExpectedTurn =>
  turn({ finish: "error", complete: false, ...given });

export const ready = (id: string | null, name: string, args: ExpectedCall["arguments"] = {}): ExpectedCall => ({
  id,
  name,
  arguments: args,
  state: "ready",
});

export const repaired = (id: string | null, name: string, args: ExpectedCall["arguments"]): ExpectedCall => ({
  ...ready(id, name, args),
  state: "repaired",
});

export const truncated = (id: string | null, name: string): ExpectedCall => ({
  ...ready(id, name, null),
  state: "truncated",
});

export const malformed = (id: string | null, name: string): ExpectedCall => ({
  ...ready(id, name, null),
  state: "malformed",
});
