/** The languages in which the model, and the person, can be told what happened. */
export type Language = "en" | "zh";

export const languages: readonly Language[] = ["en", "zh"];

/** The language of texts for a person: as asked for, else that of the locale. Notices in a history do not follow the locale. */
export function languageFor(asked: Language | undefined, env: Readonly<Record<string, string | undefined>>): Language {
  if (asked !== undefined) return asked;
  const locale = [env["LC_ALL"], env["LC_MESSAGES"], env["LANG"]].find((value) => (value ?? "") !== "");
  return locale?.toLowerCase().startsWith("zh") === true ? "zh" : "en";
}
