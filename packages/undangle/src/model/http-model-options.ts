import { UndangleError } from "#core";

/** What every model over HTTP can be told, whoever its provider is. */
export interface HttpModelOptions {
  /** Left out, the environment is asked when the model is; a function is asked before every request. */
  readonly apiKey?: string | (() => string | Promise<string>) | undefined;
  /** Where the API is, in the place of the provider's own address. */
  readonly baseURL?: string | undefined;
  /** Sent with every request, also in the place of ours. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** In the place of the global one: a proxy, something that signs. */
  readonly fetch?: Fetch | undefined;
  /** How long an answer may be. */
  readonly maxTokens?: number | undefined;
  readonly temperature?: number | undefined;
  readonly topP?: number | undefined;
  /** Texts at which the answer ends. */
  readonly stop?: readonly string[] | undefined;
  readonly seed?: number | undefined;
  /** False: one call at a time, where the provider can be told so. */
  readonly parallelCalls?: boolean | undefined;
  /** How much the model thinks before it speaks: a word, or a number of tokens. */
  readonly reasoning?: ReasoningEffort | undefined;
  /** False: the model takes only text. Left out, that shows when it refuses an image or a file, and words take their place. */
  readonly media?: boolean | undefined;
  /** Fields of the request that have no option here. They come last; an object is put together with the one that is there. */
  readonly body?: Readonly<Record<string, unknown>> | undefined;
  /** How often a request that failed is made again; 2. */
  readonly retries?: number | undefined;
  /** Milliseconds before the first of them, unless the provider says how long; each further pause is twice as long; 500. */
  readonly retryDelay?: number | undefined;
  readonly timeouts?: ModelTimeouts | undefined;
  /** For logs and events; `PROVIDER/ID` when it is left out. */
  readonly name?: string | undefined;
  /** Where keys and addresses are looked up; that of the process when it is left out. */
  readonly env?: Environment | undefined;
}

/** How much a model thinks: `none` is as little as it can. */
export type ReasoningEffort = "none" | "low" | "medium" | "high" | number;

/** How long a silent provider is waited for, in milliseconds; Infinity: forever. */
export interface ModelTimeouts {
  /** Until the provider begins to answer with a status; 120,000, and 300,000 for servers of one's own. */
  readonly connect?: number | undefined;
  /** From then until the first byte of its answer; 300,000. */
  readonly firstByte?: number | undefined;
  /** Between two pieces of its answer; 300,000. */
  readonly idle?: number | undefined;
}

/** What of the global `fetch` is used. */
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

/** The names of the options that all models have. */
export const optionNames = Object.keys(kinds);

/** Refuses options that do not exist, that a provider has no use for, and values that mean nothing. */
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
    const kind = kinds[option as keyof HttpModelOptions]; // it is one of the keys of the table
    if (!kind.fits(value)) {
      const isSecret = (option === "apiKey" && value !== "") || option === "headers"; // what may be a key is never shown
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

/** Refuses the id of a model that is none. */
export function checkModelId(id: unknown): void {
  if (!isText(id)) {
    throw new UndangleError("options/value", {
      option: "id",
      value: id,
      allowed: ["the name of a model, as a string"],
    });
  }
}
