import { UndangleError } from "#core";
import type { JsonObject } from "#core";

/** The options of every HTTP model. */
export interface HttpModelOptions {
  /** By default from the environment at the first request. A function is called before every request. */
  readonly apiKey?: string | (() => string | Promise<string>) | undefined;
  /** The address of the API, instead of the provider's. */
  readonly baseURL?: string | undefined;
  /** Headers of every request. They replace default headers. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** A replacement for the global `fetch`, for example for a proxy or for signing. */
  readonly fetch?: Fetch | undefined;
  /** The longest response, in tokens. */
  readonly maxTokens?: number | undefined;
  readonly temperature?: number | undefined;
  readonly topP?: number | undefined;
  /** Stop sequences. */
  readonly stop?: readonly string[] | undefined;
  readonly seed?: number | undefined;
  /** False allows one call at a time, if the provider supports it. */
  readonly parallelCalls?: boolean | undefined;
  /** The reasoning effort: a word, or a number of tokens. */
  readonly reasoning?: ReasoningEffort | undefined;
  /**
   * False for a model that accepts only text. By default the first refusal of media shows it, and placeholders replace
   * media.
   */
  readonly media?: boolean | undefined;
  /** Additional fields of the request. They take precedence; objects are merged. */
  readonly body?: JsonObject | undefined;
  /** The number of retries (default: 2). */
  readonly retries?: number | undefined;
  /**
   * Milliseconds before the first retry, unless the provider sends a delay. Each further delay doubles (default: 500).
   */
  readonly retryDelay?: number | undefined;
  readonly timeouts?: ModelTimeouts | undefined;
  /** The name for logs and events (default: `PROVIDER/ID`). */
  readonly name?: string | undefined;
  /** The environment for keys and addresses (default: that of the process). */
  readonly env?: Environment | undefined;
}

/** The reasoning effort of a model. `none` is the lowest that it supports. */
export type ReasoningEffort = "none" | "low" | "medium" | "high" | number;

/** Timeouts in milliseconds. Infinity disables one. */
export interface ModelTimeouts {
  /** Until the response status (default: 120,000; 300,000 for local servers). */
  readonly connect?: number | undefined;
  /** From the status to the first byte (default: 300,000). */
  readonly firstByte?: number | undefined;
  /** Between two chunks (default: 300,000). */
  readonly idle?: number | undefined;
}

/** The part of the global `fetch` that is used. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export type Environment = Readonly<Record<string, string | undefined>>;

interface Kind {
  readonly allowed: string;
  readonly fits: (value: unknown) => boolean;
}

const isNumber = (value: unknown): value is number => typeof value === "number" && !Number.isNaN(value);
const isWhole = (value: unknown, least: number): boolean => Number.isInteger(value) && (value as number) >= least; // an integer is a number
const isPlain = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isText = (value: unknown): value is string => typeof value === "string" && value !== "";

const efforts: readonly unknown[] = ["none", "low", "medium", "high"];

const kinds: Readonly<Record<keyof HttpModelOptions, Kind>> = {
  apiKey: {
    allowed: "a key, or a function that returns a key (default: from the environment)",
    fits: (value) => isText(value) || typeof value === "function",
  },
  baseURL: { allowed: "an address that begins with http:// or https://", fits: isAddress },
  headers: {
    allowed: "an object with string values",
    fits: (value) => isPlain(value) && Object.values(value).every((each) => typeof each === "string"),
  },
  fetch: { allowed: "a function like fetch", fits: (value) => typeof value === "function" },
  maxTokens: { allowed: "a whole number of at least 1", fits: (value) => isWhole(value, 1) },
  temperature: { allowed: "a number from 0 to 2", fits: (value) => isNumber(value) && value >= 0 && value <= 2 },
  topP: { allowed: "a number from 0 to 1", fits: (value) => isNumber(value) && value >= 0 && value <= 1 },
  stop: { allowed: "a list of strings", fits: (value) => Array.isArray(value) && value.every(isText) },
  seed: { allowed: "a whole number", fits: (value) => Number.isSafeInteger(value) },
  parallelCalls: { allowed: "true or false", fits: (value) => typeof value === "boolean" },
  reasoning: {
    allowed: "none, low, medium, high, or a number of tokens",
    fits: (value) => efforts.includes(value) || isWhole(value, 1),
  },
  media: { allowed: "true or false", fits: (value) => typeof value === "boolean" },
  body: { allowed: "an object", fits: isPlain },
  retries: { allowed: "a whole number of at least 0", fits: (value) => isWhole(value, 0) },
  retryDelay: { allowed: "milliseconds", fits: (value) => isNumber(value) && value >= 0 && value < Infinity },
  timeouts: { allowed: "an object with connect, firstByte and idle", fits: isPlain },
  name: { allowed: "a string", fits: isText },
  env: { allowed: "an object with string values", fits: isPlain },
};

/** The options of all models. */
export const optionNames = Object.keys(kinds);

/** Refuses unknown options, options without a meaning for the provider, and invalid values. */
export function checkModelOptions(
  options: HttpModelOptions,
  { lacks = [], others = [] }: { readonly lacks?: readonly string[]; readonly others?: readonly string[] } = {},
): void {
  if (!isPlain(options)) {
    throw new UndangleError("options/value", { option: "options", value: options, allowed: ["an object"] });
  }
  const allowed = [...optionNames.filter((name) => !lacks.includes(name)), ...others];
  for (const [option, value] of Object.entries<unknown>({ ...options })) {
    if (value === undefined || others.includes(option)) continue;
    if (!allowed.includes(option)) throw new UndangleError("options/unknown", { option, allowed });
    const kind = kinds[option as keyof HttpModelOptions]; // a key of the table
    if (!kind.fits(value)) {
      const isSecret = (option === "apiKey" && value !== "") || option === "headers"; // a value that may be a key is never shown
      const shown = isSecret ? typeof value : value;
      throw new UndangleError("options/value", { option, value: shown, allowed: [kind.allowed] });
    }
  }
  checkTimeouts(options.timeouts);
}

const phases: readonly string[] = ["connect", "firstByte", "idle"];

function checkTimeouts(timeouts: ModelTimeouts | undefined): void {
  for (const [phase, value] of Object.entries<unknown>({ ...timeouts })) {
    const option = `timeouts.${phase}`;
    if (!phases.includes(phase)) {
      throw new UndangleError("options/unknown", { option, allowed: phases.map((each) => `timeouts.${each}`) });
    }
    if (value !== undefined && !(isNumber(value) && value > 0)) {
      throw new UndangleError("options/value", { option, value, allowed: ["milliseconds", "Infinity"] });
    }
  }
}

function isAddress(value: unknown): boolean {
  return typeof value === "string" && /^https?:\/\//iu.test(value) && URL.canParse(value);
}

/** Refuses an invalid model id. */
export function checkModelId(id: unknown): void {
  if (!isText(id)) {
    throw new UndangleError("options/value", {
      option: "id",
      value: id,
      allowed: ["the name of a model, as a string"],
    });
  }
}
