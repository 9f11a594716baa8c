import { isRecord } from "#core";
import type { JsonObject as Schema } from "#core";

import { labelsOf } from "./words.ts";

/** The sources of values. */
export interface Source {
  /** The part of the message that requests the call. */
  readonly text: string;
  /** Results of earlier calls, newest first. */
  readonly results: readonly string[];
  /** The text of a final answer, for the field that holds it. */
  readonly answer?: string;
}

/**
 * Arguments for a schema, and the names of those that the message does not contain. Optional arguments are filled only
 * if the message names them.
 */
export function fillArguments(schema: Schema, source: Source): { arguments: Schema; invented: readonly string[] } {
  const invented: string[] = [];
  const values = readValues(source);
  function fill(object: Schema, depth: number): Schema {
    const { properties, required = [] } = object;
    const filled: Record<string, unknown> = {};
    for (const [name, property] of Object.entries(isRecord(properties) ? properties : {})) {
      const own = firstAlternative(property);
      const isRequired = Array.isArray(required) && required.includes(name);
      const type = typeOf(own);
      const child = type === "array" ? firstAlternative(own["items"]) : own;
      const isNested = typeOf(child) === "object" && depth < 5;
      const found = isNested ? (isRequired ? fill(child, depth + 1) : undefined) : values(name, child, isRequired);
      if (found === undefined && !isRequired) continue;
      if (found === undefined && own["default"] === undefined) invented.push(name);
      const value = found ?? own["default"] ?? invent(name, child, source);
      filled[name] = type === "array" && !Array.isArray(value) ? [value] : value;
    }
    return filled;
  }
  return { arguments: fill(firstAlternative(schema), 0), invented };
}

function firstAlternative(value: unknown): Schema {
  if (!isRecord(value)) return {};
  const { anyOf, oneOf, allOf } = value;
  const options: unknown = anyOf ?? oneOf ?? allOf;
  const first = Array.isArray(options) ? options.filter(isRecord).find(({ type }) => type !== "null") : undefined;
  return { ...value, ...first };
}

const typeOf = ({ type, properties, items }: Schema): unknown =>
  Array.isArray(type)
    ? (type as readonly unknown[]).find((each) => each !== "null")
    : (type ?? (properties !== undefined ? "object" : items === undefined ? "string" : "array"));

function invent(name: string, schema: Schema, { text }: Source): unknown {
  if (Array.isArray(schema["enum"])) return schema["enum"][0] as unknown;
  const type = typeOf(schema);
  if (type === "number" || type === "integer") return typeof schema["minimum"] === "number" ? schema["minimum"] : 1;
  if (type !== "string") return { boolean: false, array: [], object: {} }[String(type)] ?? null;
  if (schema["format"] === "date") return "2030-01-01";
  return schema["format"] === "email" ? "someone@example.com" : text.trim() || `example ${name}`;
}

const path = String.raw`(?:[\w.~:-]*\/[\w.\/~-]+|[\w-]+\.\w{1,5}\b)`;
const paths = new RegExp(path, "gu");
/** Paths that follow "in", or precede 里. */
const placed = new RegExp(String.raw`(?<=\b(?:in|from|of)\s["“']?)${path}|${path}(?=["”']?\s*[里中])`, "gu");
const place = new RegExp(String.raw`\s+in\s+(?:["“']?${path}["”']?|(?:(?:all|the|my)\s)*files?)$`, "iu");
const numbers = /(?<![\p{Script=Latin}\d.])-?\d+(?:\.\d+)?/gu;
const answerFields = /answer|text|summary|result|message|content|reply|response|答案|回答|摘要|结论/iu;

/** A function that finds the value of an argument in the message. It uses each value once. */
function readValues({ text, results, answer }: Source) {
  const lower = text.toLowerCase();
  const used = new Set<string>();
  function take(found: string | undefined): string | undefined {
    if (found !== undefined) used.add(found);
    return found;
  }
  /** The first match in the message, or the first beside a label. */
  function find(pattern: RegExp, labels?: readonly string[], where = text): string | undefined {
    const all = where.toLowerCase();
    const isBeside = (found: string, index: number): boolean => {
      const before = /([\p{L}#€$¥]+)\W{0,3}$/u.exec(all.slice(Math.max(index - 30, 0), index))?.[1] ?? "";
      const after = all.slice(index + found.length, index + found.length + 30).replace(/^[\s号]+/u, "");
      return labels === undefined || labels.some((label) => before.endsWith(label) || after.startsWith(label));
    };
    const matches = Array.from(where.matchAll(pattern), ({ 0: found, index }) => ({ found, index }));
    return take(matches.find(({ found, index }) => !used.has(found) && isBeside(found, index))?.found);
  }
  return (name: string, schema: Schema, isRequired: boolean): unknown => {
    if (schema["const"] !== undefined) return schema["const"];
    if (Array.isArray(schema["enum"]))
      return schema["enum"].find((each) => typeof each === "string" && lower.includes(each.toLowerCase()));
    const labels = labelsOf(name, schema["description"]);
    const type = typeOf(schema);
    if (type === "integer" || type === "number") {
      const inResults = (): string | undefined =>
        results.map((each) => find(numbers, labels, each)).find((each) => each !== undefined);
      const found = find(numbers, labels) ?? (isRequired ? (find(numbers) ?? inResults()) : undefined);
      return found === undefined ? undefined : Number(found);
    }
    if (type !== "string") return undefined;
    if (answer !== undefined && answerFields.test(name)) return answer;
    if (schema["format"] === "email" || /e-?mail/iu.test(name)) return find(/[\w.+-]{1,64}@[\w.-]{3,80}/gu);
    if (schema["format"] === "date") return find(/\d{4}-\d{2}-\d{2}/gu);
    if (/time_?zone|时区/iu.test(name)) return zoneIn(lower);
    const named = find(/(?<=\p{L}[:=]?\s)[\p{Lu}\d][\p{L}\p{N}-]*/gu, [name.toLowerCase()]);
    if (named !== undefined) return named;
    const isPath = /path|file|url|文件/iu.test(name);
    if (isPath || !isRequired) return isPath ? (find(placed) ?? (isRequired ? find(paths) : undefined)) : undefined;
    if (/^(?:old|new)(?:_|[A-Z]|$)/u.test(name)) return take(exchanged(text)[name.startsWith("old") ? 0 : 1]);
    const quoted = find(/(?<=["“`])[^"“”`\n]+(?=["”`])|(?<=\s')[^'\n]+(?=')/gu);
    if (quoted !== undefined) return quoted;
    if (/pattern|glob/iu.test(name)) return find(/\S*\*\S*/gu) ?? take(freeText(text));
    if (/(?:^|_)(?:id|number|code)$|号$/iu.test(name)) return find(/(?<![\p{L}\d])[A-Z]{0,4}\d[\w-]*/gu);
    if (/^(?:to|recipient|name|who|city|place|location|person)$/iu.test(name)) return take(properName(text));
    return take(freeText(text));
  };
}

/** A name such as "ACME" in "to ACME", or 张三 in 给张三转账. */
function properName(text: string): string | undefined {
  const chinese = /(?<=[给向])\p{Script=Han}{2,4}?(?=[转发汇寄付])|\p{Script=Han}{2,4}?(?=(?:的|今天|明天)*天气)/u;
  const after = /\b(?:to|in|for|from) (\p{Lu}[\p{L}-]*(?: \p{Lu}[\p{L}-]*)*)/u.exec(text);
  return chinese.exec(text)?.[0] ?? after?.[1] ?? /(?<=\s)\p{Lu}[\p{L}-]+/u.exec(text)?.[0];
}

/** What follows a colon or "with the text", or else what follows the verb of a request, without a place. */
function freeText(text: string): string | undefined {
  const verb =
    /^\s*(?:please )?\p{Script=Latin}+\s+(?:(?:an?|the|my|for|that|down|note|about|to)\s+)*|^.*?(?:查找|搜索)\s*/iu;
  const marked = /(?:[:：]|\b(?:saying|containing|with the (?:text|content|words?))\s|内容[为是])\s*(\S.*)$/su;
  return (marked.exec(text)?.[1] ?? text.replace(verb, "").replace(place, "")).trim() || undefined;
}

/** Both texts of "replace X by Y in Z", without quotation marks. */
function exchanged(text: string): readonly (string | undefined)[] {
  const english = /\b(?:replace|change)\s+(.+?)\s+(?:by|with|to|into)\s+(.+)$/iu.exec(text);
  const chinese = /[把将](?:[^把将]*[里中]的?)?\s*(.+?)\s*(?:替换[为成]|换[为成]|改[为成])\s*(.+)$/u.exec(text);
  const bare = (found: string): string => found.replace(place, "").replaceAll(/^["“'`]|["”'`]$/gu, "");
  return (english ?? chinese ?? []).slice(1).map(bare);
}

/** The time zone of a city that is named in the message. */
const zoneIn = (lower: string): string | undefined =>
  Intl.supportedValuesOf("timeZone").find((zone) =>
    lower.includes(zone.toLowerCase().replace(/^.*\//u, " ").replaceAll("_", " ")),
  );
