import type { Message, SystemText } from "#codecs";
import type { Language } from "#core";

/** What the instructions say about who speaks, as far as that is obvious. */
export interface Persona {
  /** A name or a role, such as "Ada" or "a health assistant". */
  readonly who: string | undefined;
  /** The language that every answer is to be in. */
  readonly language: Language | undefined;
}

/** Who speaks is said at the beginning. */
const longest = 8000;

export function personaOf(system: readonly SystemText[], messages: readonly Message[]): Persona {
  const own = messages.flatMap((message) => (message.role === "system" ? message.parts : []));
  const text = [...system, ...own]
    .map((part) => part.text)
    .join("\n")
    .slice(0, longest);
  return { who: whoIn(text), language: demandedLanguage(text) };
}

const introductions: readonly RegExp[] = [
  /\byour name is ["“]?(\p{Lu}[\p{L}-]*(?: \p{Lu}[\p{L}-]*)?)/iu,
  /\byou are (\p{Lu}[\p{L}-]+(?: \p{Lu}[\p{L}-]+)?)(?=[,.\n]| the | an? |$)/u,
  /\bYou are (\p{Lu}[\p{L}-]+(?: \p{Lu}[\p{L}-]+)?)(?=[,.\n]| the | an? |$)/u,
  /\byou are (an? [\w -]{3,40}?)(?=[.,;\n]| who | that | for | and |$)/iu,
  /(?:名字|名)(?:叫|是|为)\s*["“]?([^，。,.\s”"]{1,10})/u,
  /你叫\s*["“]?([^，。,.\s”"]{1,10})/u,
  /你是\s*(?:一[个名位款])?\s*["“]?([^，。,.；;\s”"]{2,16})/u,
];

function whoIn(text: string): string | undefined {
  for (const pattern of introductions) {
    const found = pattern.exec(text)?.[1];
    if (found !== undefined) return found;
  }
  return undefined;
}

function demandedLanguage(text: string): Language | undefined {
  const latin = /\b(?:answer|reply|respond|speak|write|talk)\b[^.\n]{0,30}\bin (chinese|english)\b/iu.exec(text)?.[1];
  const chinese = /(?:用|以|使用)\s*(中文|汉语|简体中文|英文|英语)/u.exec(text)?.[1];
  const found = latin?.toLowerCase() ?? chinese;
  if (found === undefined) return undefined;
  return /english|英/u.test(found) ? "en" : "zh";
}

/** The language that a text is in: quotations apart, a Chinese word is enough, unless it is a name in an English sentence. */
export function languageIn(text: string, otherwise: Language): Language {
  if (isForeign(text)) return "en";
  const own = text.replaceAll(/"[^"]*"|“[^“”]*”|`[^`]*`|'[^']*'/gu, "");
  const signs = own.match(/\p{Script=Han}/gu)?.length ?? 0;
  const isNamed = /^\s*\p{Script=Latin}/u.test(own) && signs <= (own.match(/\p{Script=Latin}+/gu)?.length ?? 0);
  if (signs > 0 && !isNamed) return "zh";
  if (/\p{Script=Latin}/u.test(own)) return "en";
  return /\p{Script=Han}/u.test(text) ? "zh" : otherwise;
}

/** True for a text in a script of neither language, such as Japanese: quotations apart, most of its letters are of others. */
export function isForeign(text: string): boolean {
  const own = text.replaceAll(/"[^"]*"|“[^“”]*”|「[^「」]*」|`[^`]*`|'[^']*'/gu, "");
  const count = (letters: RegExp): number => own.match(letters)?.length ?? 0;
  const latin = count(/\p{Script=Latin}/gu);
  const han = count(/\p{Script=Han}/gu);
  const japanese = count(/[\p{Script=Hiragana}\p{Script=Katakana}]/gu);
  const others = count(/\p{L}/gu) - latin - han - japanese;
  return japanese > 0 ? japanese + han > latin : others > latin + han;
}
