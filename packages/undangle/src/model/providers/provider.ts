import type { JsonObject } from "#core";
import type { StreamFormat } from "#codecs";

import type { HttpModelOptions, ModelTimeouts } from "../http-model-options.ts";
import type { ModelRequest, PromptCache } from "../model.ts";

/** A provider of models: its address, its request fields, and what differs from its format. */
export interface Provider {
  /** The first part of its model names. */
  readonly name: string;
  readonly format: Exclude<StreamFormat, "bedrock">;
  /** The profile whose rules apply; by default that of the format. */
  readonly profile?: string;
  /** The profile of a server of the format by host. Its signatures are sent back only to the same host. */
  readonly profileAt?: (host: string) => string;
  readonly baseURL: string;
  /** Environment variables with another address. */
  readonly baseVariables: readonly string[];
  readonly keyVariables: readonly string[];
  /** False if requests work without a key. */
  readonly needsKey?: boolean;
  /** The URL of a request, from the base URL. */
  readonly url: (base: string, id: string) => string;
  readonly headers: (key: string | undefined) => Readonly<Record<string, string>>;
  /** The fields that it adds to the conversation. */
  readonly body: (asked: Asked) => Fields;
  /** Fields with another name than in the format. */
  readonly renames?: Readonly<Record<string, string>>;
  /** The limit of tokens, if the API requires one. */
  readonly maxTokens?: (id: string, options: HttpModelOptions) => number | undefined;
  /** What is necessary to force a call besides the tool choice. */
  readonly forcing?: (id: string) => Forcing | undefined;
  /** True if a model may write reasoning into its text, between `<think>` and `</think>`. */
  readonly thinksAloud?: boolean;
  /** Longer timeouts, if necessary. */
  readonly timeouts?: ModelTimeouts;
  /** How its prompt cache is requested. Undefined if there is no way. */
  readonly cache?: CacheSetting;
  /** Options that it does not support. */
  readonly lacks?: readonly (keyof HttpModelOptions)[];
}

/** How a provider gets the `cache` of a request. */
export interface CacheSetting {
  /** False for a model or a host without such a setting. By default all have it. */
  readonly isFor?: (id: string, host: string | undefined) => boolean;
  /** Adds the setting to the body of a request. What the caller has set stays. */
  readonly write: (body: Fields, cache: PromptCache, request: ModelRequest) => Fields;
}

/** A call can be forced only without thinking, or never. */
export type Forcing = "thoughtless" | "never";

export type Fields = JsonObject;

/** The model and the request. */
export interface Asked {
  readonly id: string;
  readonly options: HttpModelOptions;
  readonly request: ModelRequest;
}

/** True if the request forces a call. */
export const forcesCall = ({ toolChoice, tools }: ModelRequest): boolean =>
  tools.length > 0 && (toolChoice === "required" || typeof toolChoice === "object");

/** The authorization header of most providers. */
export const bearer = (key: string | undefined): Readonly<Record<string, string>> =>
  key === undefined ? {} : { authorization: `Bearer ${key}` };

export const joined = (base: string, path: string): string => `${base.replace(/(?<!\/)\/+$/u, "")}${path}`;

/** A local server sends nothing until it has loaded the model and read the conversation. */
export const localTimeouts: ModelTimeouts = { connect: 300_000 };
