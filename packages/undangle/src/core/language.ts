/** The languages of texts for the model and the user. */
export type Language = "en" | "zh";

export const languages: readonly Language[] = ["en", "zh"];

/**
 * The language of texts for the user: the requested one, else that of the locale. Notices in a history do not follow
 * the locale.
 */
export function languageFor(asked: Language | undefined, env: Readonly<Record<string, string | undefined>>): Language {
  if (asked !== undefined) return asked;
  const locale = [env["LC_ALL"], env["LC_MESSAGES"], env["LANG"]].find((value) => (value ?? "") !== "");
  return locale?.toLowerCase().startsWith("zh") === true ? "zh" : "en";
}
