import { UndangleError } from "undangle";
import type { Language } from "undangle";
import type { Store } from "undangle/agent";
import { inlineConfig } from "undangle/config";
import type { Config, LoadedConfig, ServerConfig, ServerLimits, ServerPrices } from "undangle/config";

import type { Retention } from "./projects/retention.ts";
import type { TelemetryWish } from "./telemetry/load-telemetry.ts";

export type { ServerLimits };

/** The options of a server; all are optional. They take precedence over the section `server` of the config. */
export interface ServerOptions extends ServerConfig {
  /** Agents, personas, tools and models. By default `undangle.config.ts` of the folder, else the health assistant. */
  readonly config?: Config | LoadedConfig | undefined;
  /** The folder of `undangle.config.ts`, `personas/` and `.undangle/`. By default the working directory. */
  readonly folder?: string | undefined;
  /** A store, or its name: a path, `"memory"` or `"postgres://…"`. */
  readonly store?: Store | string | undefined;
  /** The name of a model that replaces those of the personas. */
  readonly model?: string | undefined;
  readonly language?: Language | undefined;
  /** OpenTelemetry spans. By default on if `@opentelemetry/api` is installed. `content` adds message texts. */
  readonly telemetry?: TelemetryWish;
  /** A pino logger, `true` for one that writes to stdout, or `false`. */
  readonly logger?: unknown;
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}

/** The settings of a server from its options and the config, with defaults. */
export interface ServerSettings {
  readonly hosts: readonly string[];
  readonly origins: readonly string[];
  readonly webhook: ServerConfig["webhook"];
  readonly limits: ServerLimits;
  readonly timeZone: string;
  readonly keep: Retention;
  /** False to serve no studio; else true, or the folder of a build. */
  readonly studio: boolean | string;
  readonly record: boolean;
  readonly prices: ServerPrices | undefined;
}

/** Days. */
const defaultRetention: Retention = { chats: 30, deleted: 30 };

const defaultLimits: ServerLimits = {
  body: 10 * 1024 * 1024,
  requestTime: 60_000,
  connections: 10_000,
  rate: 6000,
  runs: 5000,
  turn: 200,
};

/** The settings of a server: an option, else the config, else the default. */
export function settingsOf(options: ServerConfig, section: ServerConfig = {}): ServerSettings {
  const merged = { ...section, ...given(options) };
  const {
    hosts = [],
    origins = [],
    webhook,
    prices,
    timeZone = localTimeZone(),
    record = false,
    studio = true,
  } = merged;
  const limits = { ...defaultLimits, ...given(section.limits ?? {}), ...given(options.limits ?? {}) };
  const keep = { ...defaultRetention, ...given(section.keep ?? {}), ...given(options.keep ?? {}) };
  return { hosts, origins, webhook, limits, timeZone, keep, record, prices, studio };
}

/** The keys with a defined value. */
const given = <T extends object>(record: T): { [Key in keyof T]?: Exclude<T[Key], undefined> } =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)) as {
    [Key in keyof T]?: Exclude<T[Key], undefined>; // only keys with values were kept
  };

const localTimeZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone;

const sectionKeys = [
  "hosts",
  "origins",
  "webhook",
  "limits",
  "timeZone",
  "keep",
  "studio",
  "record",
  "prices",
] as const satisfies readonly (keyof ServerConfig)[];

const known: readonly (keyof ServerOptions)[] = [
  "config",
  "folder",
  "store",
  "model",
  "language",
  "telemetry",
  "logger",
  "env",
  ...sectionKeys,
];

/** Refuses unknown options and invalid values. */
export function checkOptions(options: ServerOptions): void {
  for (const option of Object.keys(options))
    if (!known.some((each) => each === option)) throw new UndangleError("options/unknown", { option, allowed: known });
  const { language, telemetry } = options;
  checkSection(Object.fromEntries(sectionKeys.map((key) => [key, options[key]])));
  if (language !== undefined && language !== "en" && language !== "zh")
    throw new UndangleError("options/value", { option: "language", value: language, allowed: ["en", "zh"] });
  if (!isTelemetryWish(telemetry))
    throw new UndangleError("options/value", {
      option: "telemetry",
      value: telemetry,
      allowed: ["true", "false", "{ content: true }"],
    });
}

/** Options that the config has too are checked by the same rules, and named as options. */
function checkSection(server: ServerConfig): void {
  try {
    inlineConfig({ server }, "");
  } catch (error) {
    if (!(error instanceof UndangleError)) throw error;
    const nameOf = (key: string): string => key.replace(/^server\./u, "");
    if (error.is("config/value")) {
      const { key, value, allowed } = error.data;
      throw new UndangleError("options/value", { option: nameOf(key), value, allowed }, error);
    }
    if (error.is("config/key")) {
      const { key, allowed } = error.data;
      throw new UndangleError("options/unknown", { option: nameOf(key), allowed }, error);
    }
    throw error;
  }
}

function isTelemetryWish(value: unknown): boolean {
  if (value === undefined || typeof value === "boolean") return true;
  if (typeof value !== "object" || value === null) return false;
  const { content, ...others } = value as Readonly<Record<string, unknown>>; // an object has keys
  return (content === undefined || typeof content === "boolean") && Object.keys(others).length === 0;
}
