import type { Language } from "#core";
import { chinese } from "./chinese.ts";
import { english } from "./english.ts";
import type { Texts } from "./texts.ts";

/** The texts of a language. */
export const textsIn = (language: Language): Texts => (language === "zh" ? chinese : english);

/** The language of texts for a person: as asked for, else that of the locale. Notices in a history do not follow the locale. */
export function languageFor(asked: Language | undefined, env: Readonly<Record<string, string | undefined>>): Language {
  if (asked !== undefined) return asked;
  const locale = [env["LC_ALL"], env["LC_MESSAGES"], env["LANG"]].find((value) => (value ?? "") !== "");
  return locale?.toLowerCase().startsWith("zh") === true ? "zh" : "en";
}
