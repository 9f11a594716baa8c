import type { Language } from "#core";

import { dayOf } from "../facts/dates.ts";
import type { Aspect } from "./aspect.ts";
import { fitsSchema } from "./fits-schema.ts";
import type { Schema } from "./read-schema.ts";
import { samplePattern } from "./sample-pattern.ts";

/** Values that mean nobody and nothing: addresses that are reserved for examples. */
const formats: Readonly<Record<string, string>> = {
  email: "demo@example.com",
  uri: "https://example.com/",
  url: "https://example.com/",
  "uri-reference": "/",
  iri: "https://example.com/",
  hostname: "example.com",
  ipv4: "192.0.2.1",
  ipv6: "2001:db8::1",
  uuid: "00000000-0000-4000-8000-000000000000",
  time: "12:00:00Z",
  duration: "PT1H",
  regex: ".*",
  "json-pointer": "/example",
};

const aspects: Readonly<Partial<Record<Aspect, Readonly<Record<Language, string>>>>> = {
  email: { en: "demo@example.com", zh: "demo@example.com" },
  url: { en: "https://example.com/", zh: "https://example.com/" },
  path: { en: "example.txt", zh: "example.txt" },
  currency: { en: "EUR", zh: "CNY" },
  formula: { en: "1 + 1", zh: "1 + 1" },
  time: { en: "12:00", zh: "12:00" },
  zone: { en: "UTC", zh: "Asia/Shanghai" },
  place: { en: "London", zh: "北京" },
  subject: { en: "A message from the demo model", zh: "来自演示模型的消息" },
  text: { en: "This text is an example of the demo model.", zh: "这是演示模型的示例文本。" },
  id: { en: "example-1", zh: "example-1" },
};

const plain: Readonly<Record<Language, string>> = { en: "example", zh: "示例" };

/** A text that was made up and fits its schema; undefined where none can be made. */
export function sampleText(
  schema: Schema,
  { aspect, language, now }: { readonly aspect: Aspect; readonly language: Language; readonly now: number },
): string | undefined {
  const { format, pattern, minLength = 0, maxLength } = schema;
  const shortest = Number(minLength);
  const today = dayOf(now);
  const candidates = [
    format === "date" || aspect === "date" ? today : undefined,
    format === "date-time" ? `${today}T12:00:00Z` : undefined,
    typeof format === "string" ? formats[format] : undefined,
    aspects[aspect]?.[language],
    plain[language],
    typeof pattern === "string" ? patternText(pattern, shortest) : undefined,
  ].filter((text) => text !== undefined);
  const longest = typeof maxLength === "number" ? maxLength : Infinity;
  const sized = candidates.flatMap((text) => [
    text,
    Array.from(text).slice(0, longest).join(""),
    text.padEnd(shortest, "."),
  ]);
  return sized.find((text) => fitsSchema(schema, text));
}

function patternText(pattern: string, shortest: number): string | undefined {
  try {
    return samplePattern(pattern, shortest);
  } catch {
    return undefined; // it is no regular expression
  }
}
