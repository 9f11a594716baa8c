import { UndangleError } from "undangle";
import type { Language } from "undangle";
import type { Store } from "undangle/agent";
import { withoutPassword } from "undangle/config";
import type { Config, LoadedConfig } from "undangle/config";

import type { WebhookOptions } from "./desk/webhook.ts";
import type { TelemetryWish } from "./telemetry/load-telemetry.ts";

/** How a server is made; everything can be left out. */
export interface ServerOptions {
  /** Agents, personas, tools and models; left out, `undangle.config.ts` of the folder, else the health assistant. */
  readonly config?: Config | LoadedConfig | undefined;
  /** Where `undangle.config.ts`, `personas/` and `.undangle/` are; left out, where the process was started. */
  readonly folder?: string | undefined;
  /** A store, or the name of one: a path, `"memory"`, `"postgres://…"`. */
  readonly store?: Store | string | undefined;
  /** The name of a model, which holds before those of the personas. */
  readonly model?: string | undefined;
  readonly language?: Language | undefined;
  /** What `gettime` tells when nobody says where. */
  readonly timeZone?: string | undefined;
  /** Names under which the server may be asked, besides those of the loopback. */
  readonly hosts?: readonly string[] | undefined;
  /** Pages of these origins may use it. */
  readonly origins?: readonly string[] | undefined;
  /** Told when a thread begins to wait for a decision. */
  readonly webhook?: WebhookOptions | undefined;
  /** Spans of OpenTelemetry; left out, where `@opentelemetry/api` is installed. `content` puts what was said into them. */
  readonly telemetry?: TelemetryWish;
  readonly limits?: { readonly [Name in keyof ServerLimits]?: ServerLimits[Name] | undefined } | undefined;
  /** A pino logger, `true` for one that writes to stdout, or `false`. */
  readonly logger?: unknown;
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}

export interface ServerLimits {
  /** Bytes of a request. */
  readonly body: number;
  /** Milliseconds in which a request has to be sent. */
  readonly requestTime: number;
  /** Connections at a time. */
  readonly connections: number;
  /** Requests a minute, of one key or address. */
  readonly rate: number;
  /** Runs at a time, of the whole server. */
  readonly runs: number;
}

const defaultLimits: ServerLimits = {
  body: 10 * 1024 * 1024,
  requestTime: 60_000,
  connections: 10_000,
  rate: 6000,
  runs: 5000,
};

/** All of them. */
export const limitsOf = ({ limits = {} }: ServerOptions): ServerLimits => {
  const given = Object.entries(limits).filter(([, value]) => value !== undefined);
  return { ...defaultLimits, ...(Object.fromEntries(given) as Partial<ServerLimits>) }; // just those were kept
};

const known: readonly (keyof ServerOptions)[] = [
  "config",
  "folder",
  "store",
  "model",
  "language",
  "timeZone",
  "hosts",
  "origins",
  "webhook",
  "telemetry",
  "limits",
  "logger",
  "env",
];

/** Refuses options that do not exist and values that mean nothing. */
export function checkOptions(options: ServerOptions): void {
  for (const option of Object.keys(options))
    if (!known.some((each) => each === option)) throw new UndangleError("options/unknown", { option, allowed: known });
  const { timeZone, limits = {}, language, hosts, origins, webhook } = options;
  demandTexts("hosts", hosts, (host) => /^[^\s:/]+$/u.test(host), "names without a port, such as example.com");
  demandTexts("origins", origins, isOrigin, "origins, such as https://app.example.com");
  if (webhook !== undefined && !isWebAddress(webhook.url))
    throw new UndangleError("options/value", {
      option: "webhook.url",
      value: webhook.url,
      allowed: ["an address that begins with https:// or http://"],
    });
  if (webhook !== undefined && hasPassword(webhook.url))
    throw new UndangleError("options/value", {
      option: "webhook.url",
      value: withoutPassword(webhook.url),
      allowed: ["an address without a name and a password: give a secret, by which what is sent is signed"],
    });
  if (timeZone !== undefined && !isTimeZone(timeZone))
    throw new UndangleError("options/value", {
      option: "timeZone",
      value: timeZone,
      allowed: ["Asia/Shanghai and its like"],
    });
  if (language !== undefined && language !== "en" && language !== "zh")
    throw new UndangleError("options/value", { option: "language", value: language, allowed: ["en", "zh"] });
  if (!isTelemetryWish(options.telemetry))
    throw new UndangleError("options/value", {
      option: "telemetry",
      value: options.telemetry,
      allowed: ["true", "false", "{ content: true }"],
    });
  for (const [name, value] of Object.entries<unknown>(limits)) {
    const option = `limits.${name}`;
    if (!Object.hasOwn(defaultLimits, name))
      throw new UndangleError("options/unknown", { option, allowed: Object.keys(defaultLimits) });
    if (value !== undefined && !(typeof value === "number" && value > 0))
      throw new UndangleError("options/value", { option, value, allowed: ["a number above 0"] });
  }
}

function demandTexts(option: string, given: unknown, fits: (text: string) => boolean, allowed: string): void {
  if (given === undefined) return;
  const wrong: unknown = Array.isArray(given) ? given.find((each) => typeof each !== "string" || !fits(each)) : given;
  if (!Array.isArray(given) || wrong !== undefined)
    throw new UndangleError("options/value", { option, value: wrong, allowed: [`a list of ${allowed}`] });
}

function isTelemetryWish(value: unknown): boolean {
  if (value === undefined || typeof value === "boolean") return true;
  if (typeof value !== "object" || value === null) return false;
  const { content, ...others } = value as Readonly<Record<string, unknown>>; // an object has keys
  return (content === undefined || typeof content === "boolean") && Object.keys(others).length === 0;
}

const isOrigin = (text: string): boolean => isWebAddress(text) && new URL(text).origin === text;

const isWebAddress = (text: unknown): boolean =>
  typeof text === "string" && /^https?:\/\//u.test(text) && URL.canParse(text);

/** It would stand in the log when nobody answers there, and `fetch` refuses it. */
function hasPassword(url: string): boolean {
  const { username, password } = new URL(url);
  return username !== "" || password !== "";
}

/** True for what this machine knows as a time zone. */
export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false; // it says so by throwing
  }
}
