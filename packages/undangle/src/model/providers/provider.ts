import type { StreamFormat } from "#codecs";

import type { HttpModelOptions, ModelTimeouts } from "../http-model-options.ts";
import type { ModelRequest } from "../model.ts";

/** A provider of models: where it is, how it is asked, and what of a request only it writes so. */
export interface Provider {
  /** The first word of the names of its models. */
  readonly name: string;
  readonly format: Exclude<StreamFormat, "bedrock">;
  /** Whose rules its requests keep; left out, the format's own. */
  readonly profile?: string;
  /** Whose rules a server of the format keeps that may be anybody's: what it has sealed goes back to its host only. */
  readonly profileAt?: (host: string) => string;
  readonly baseURL: string;
  /** Variables that say another address. */
  readonly baseVariables: readonly string[];
  readonly keyVariables: readonly string[];
  /** False where one can ask without a key. */
  readonly needsKey?: boolean;
  /** The address of a request, from that of the API. */
  readonly url: (base: string, id: string) => string;
  readonly headers: (key: string | undefined) => Readonly<Record<string, string>>;
  /** What it adds to the written conversation. */
  readonly body: (asked: Asked) => Fields;
  /** What fields are called here that the format calls otherwise. */
  readonly renames?: Readonly<Record<string, string>>;
  /** How long an answer may be, where the API has to be told. */
  readonly maxTokens?: (id: string, options: HttpModelOptions) => number | undefined;
  /** What it takes to force a call, where more is needed than to ask for it. */
  readonly forcing?: (id: string) => Forcing | undefined;
  /** True where a model may think inside of what it says, between `<think>` and `</think>`. */
  readonly thinksAloud?: boolean;
  /** Where it takes longer than others. */
  readonly timeouts?: ModelTimeouts;
  /** Options for which it has no place. */
  readonly lacks?: readonly (keyof HttpModelOptions)[];
}

/** A call can be forced only while the model does not think, or never. */
export type Forcing = "thoughtless" | "never";

/** Fields of a request. */
export type Fields = Readonly<Record<string, unknown>>;

/** What is asked, and of which model. */
export interface Asked {
  readonly id: string;
  readonly options: HttpModelOptions;
  readonly request: ModelRequest;
}

/** True when the model has no choice but to make a call. */
export const forcesCall = ({ toolChoice, tools }: ModelRequest): boolean =>
  tools.length > 0 && (toolChoice === "required" || typeof toolChoice === "object");

/** The header that most providers take a key in. */
export const bearer = (key: string | undefined): Readonly<Record<string, string>> =>
  key === undefined ? {} : { authorization: `Bearer ${key}` };

/** An address, and a path behind it. */
export const joined = (base: string, path: string): string => `${base.replace(/(?<!\/)\/+$/u, "")}${path}`;

/** A server of one's own says nothing until it has loaded the model and read the whole conversation. */
export const localTimeouts: ModelTimeouts = { connect: 300_000 };
