import type { CallPart, Message, Result, Text } from "#codecs";
import { isObjectText } from "#core";
import type { Language } from "#core";

import type { ReductionSettings } from "./reduction-options.ts";
import { shortenStrings } from "./shorten-strings.ts";

export interface Reducing {
  readonly settings: Pick<ReductionSettings, "arguments" | "results">;
  readonly language: Language;
  /** The file of the result at a place; undefined for one that stays. */
  readonly pathOf: (place: number) => string | undefined;
}

/** A message with shortened arguments, or with notes in place of results. The same object if nothing changes. */
export function reduceMessage(message: Message, reducing: Reducing): Message {
  if (message.role === "assistant") {
    const parts = message.parts.map((part) => (part.type === "call" ? reduceCall(part, reducing) : part));
    return parts.every((part, i) => part === message.parts[i]) ? message : { ...message, parts };
  }
  if (message.role !== "tool") return message;
  const results = message.results.map((result, place) => {
    const path = isCleared(result, reducing.settings) ? reducing.pathOf(place) : undefined;
    return path === undefined ? result : clearedResult(result, path, reducing.language);
  });
  return results.every((result, i) => result === message.results[i]) ? message : { ...message, results };
}

/** A call whose long texts are shortened. Its id, its signature and the shape of its arguments stay. */
function reduceCall(call: CallPart, { settings, language }: Reducing): CallPart {
  const { arguments: rules } = settings;
  if (rules === undefined || !rules.tools.has(call.name) || call.isCustom) return call;
  const shorten = (text: string): string => {
    const first = text.slice(0, rules.keepFirst).toWellFormed();
    return first + shortenedTexts[language](text.length - first.length);
  };
  const { input } = call;
  const text = "text" in input ? input.text : JSON.stringify(input.value);
  if (text === undefined || text.length <= rules.over || !isObjectText(text)) return call;
  const short = shortenStrings(text, rules.over, shorten);
  if (short === text) return call;
  return { ...call, input: "text" in input ? { text: short } : { value: JSON.parse(short) as unknown } };
}

const shortenedTexts: Readonly<Record<Language, (characters: number) => string>> = {
  en: (characters) => `… [${characters} more characters of this old argument are not shown]`,
  zh: (characters) => `……[此处的旧参数还有 ${characters} 个字符未显示]`,
};

/** True for a result that is moved to a file when it is old. */
export function isCleared(result: Result, { results }: Reducing["settings"]): boolean {
  if (results === undefined || result.notice !== undefined || results.exclude.has(result.name ?? "")) return false;
  return textOf(result).length > results.over;
}

/** The text of a result. */
export const textOf = ({ parts }: Result): string =>
  parts
    .flatMap((part) => (part.type === "text" ? [part.text] : part.type === "value" ? [JSON.stringify(part.value)] : []))
    .join("\n");

function clearedResult(result: Result, path: string, language: Language): Result {
  const text = clearedTexts[language]({ name: result.name ?? "", path, characters: textOf(result).length });
  const note: Text = { type: "text", path: "", text };
  return { ...result, parts: [note, ...result.parts.filter(({ type }) => type === "media")] };
}

interface ClearedText {
  readonly name: string;
  readonly path: string;
  readonly characters: number;
}

const clearedTexts: Readonly<Record<Language, (about: ClearedText) => string>> = {
  en: ({ name, path, characters }) =>
    `[This old result of ${name.slice(0, 64)} had ${characters} characters and is no longer shown. It is stored in ${path}.]`,
  zh: ({ name, path, characters }) =>
    `[${name.slice(0, 64)} 的这个旧结果有 ${characters} 个字符，不再显示。它保存在 ${path} 中。]`,
};
