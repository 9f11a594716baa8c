import { isRecord } from "#core";

import { checkRecord, demand } from "./check-record.ts";
import type { Check, PlaceOf } from "./check-record.ts";
import type { ModelPrice, ServerConfig, ServerLimits, ServerPrices } from "./config.ts";
import { withoutPassword } from "./without-password.ts";

/** Refuses unknown keys and invalid values of the section `server`, each with its line. */
export function checkServer(value: unknown, placeOf: PlaceOf): asserts value is ServerConfig {
  checkRecord(value, ["server"], { checks: serverChecks, placeOf });
  for (const [name, [fits, allowed]] of Object.entries(elementChecks))
    (value[name] as readonly unknown[] | undefined)?.forEach((each, i) =>
      // a list, by its check
      demand(fits(each), each, { key: ["server", name, i], allowed, placeOf }),
    );
  if (value["limits"] !== undefined)
    checkRecord(value["limits"], ["server", "limits"], { checks: limitChecks, placeOf });
  if (value["keep"] !== undefined) checkRecord(value["keep"], ["server", "keep"], { checks: keepChecks, placeOf });
  if (value["webhook"] !== undefined) checkWebhook(value["webhook"], placeOf);
  if (value["prices"] !== undefined) checkPrices(value["prices"], placeOf);
}

function checkPrices(value: unknown, placeOf: PlaceOf): void {
  const at = ["server", "prices"] as const;
  checkRecord(value, at, { checks: priceListChecks, placeOf });
  const { models } = value;
  demand(isRecord(models), models, { key: [...at, "models"], allowed: ["an object"], placeOf });
  for (const [name, price] of Object.entries(models)) {
    const key = [...at, "models", name];
    checkRecord(price, key, { checks: priceChecks, placeOf });
    for (const part of ["input", "output"])
      demand(price[part] !== undefined, undefined, { key: [...key, part], allowed: amount[1], placeOf });
  }
}

function checkWebhook(value: unknown, placeOf: PlaceOf): void {
  const at = ["server", "webhook"] as const;
  checkRecord(value, at, { checks: webhookChecks, placeOf });
  const { url } = value;
  const key = [...at, "url"];
  demand(isWebAddress(url), url, { key, allowed: ["an address that begins with https:// or http://"], placeOf });
  const allowed = ["an address without a user name and a password (use secret, which signs the request)"];
  demand(!hasPassword(url), withoutPassword(url), { key, allowed, placeOf });
}

const list: Check = [Array.isArray, ["a list"]];
const table: Check = [isRecord, ["an object"]];
const positive: Check = [(value) => typeof value === "number" && value > 0, ["a number above 0"]];

const amount: Check = [
  (value) => typeof value === "number" && value >= 0 && value < Infinity,
  ["the price of a million tokens"],
];

const priceListChecks: Readonly<Record<keyof ServerPrices, Check>> = {
  currency: [
    (value) => typeof value === "string" && /^[A-Z]{3}$/u.test(value),
    ["the code of a currency, such as EUR"],
  ],
  models: [() => true, []], // required, and checked above
};

const priceChecks: Readonly<Record<keyof ModelPrice, Check>> = { input: amount, output: amount, cached: amount };

const serverChecks: Readonly<Record<keyof ServerConfig, Check>> = {
  hosts: list,
  origins: list,
  webhook: table,
  limits: table,
  keep: table,
  record: [(value) => typeof value === "boolean", ["true", "false"]],
  prices: table,
  timeZone: [isTimeZone, ["a time zone, such as Europe/Berlin"]],
  studio: [
    (value) => typeof value === "boolean" || (typeof value === "string" && value !== ""),
    ["true", "false", "the folder of a build"],
  ],
};

const elementChecks: Readonly<Record<"hosts" | "origins", Check>> = {
  hosts: [
    (host) => typeof host === "string" && /^[^\s:/]+$/u.test(host),
    ["a host name without a port, such as example.com"],
  ],
  origins: [isOrigin, ["an origin without a path, such as https://app.example.com"]],
};

const limitChecks: Readonly<Record<keyof ServerLimits, Check>> = {
  body: positive,
  requestTime: positive,
  connections: positive,
  rate: positive,
  runs: positive,
  turn: positive,
};

const days: Check = [
  (value) => value === false || (typeof value === "number" && value > 0),
  ["a number of days above 0", "false"],
];

const keepChecks: Readonly<Record<keyof NonNullable<ServerConfig["keep"]>, Check>> = { chats: days, deleted: days };

const webhookChecks: Readonly<Record<"url" | "secret", Check>> = {
  url: [() => true, []], // required, and checked below
  secret: [(value) => typeof value === "string" && value !== "", ["a non-empty string"]],
};

function isOrigin(value: unknown): boolean {
  return isWebAddress(value) && new URL(value).origin === value;
}

const isWebAddress = (value: unknown): value is string =>
  typeof value === "string" && /^https?:\/\//u.test(value) && URL.canParse(value);

/** A failure of the webhook would log it, and `fetch` refuses it. */
function hasPassword(url: string): boolean {
  const { username, password } = new URL(url);
  return username !== "" || password !== "";
}

function isTimeZone(name: unknown): boolean {
  try {
    return (
      typeof name === "string" && new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== ""
    );
  } catch {
    return false; // it throws for an unknown name
  }
}
