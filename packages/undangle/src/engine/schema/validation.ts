import type { Language } from "#core";

/** The result of a validation: the arguments for the tool, or the problems in sentences that a model can act on. */
export type Validation<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly problems: readonly string[] };

const most = 10;

const more: Readonly<Record<Language, string>> = { en: "There are more problems", zh: "还有其他问题" };

/** The first ten distinct sentences. If there are more, the last one reports that. */
export function firstProblems(sentences: Iterable<string>, language: Language): readonly string[] {
  const all = new Set<string>();
  for (const sentence of sentences) {
    if (all.size === most && !all.has(sentence)) return [...[...all].slice(0, most - 1), more[language]];
    all.add(sentence);
  }
  return [...all];
}

/** The validation itself failed. */
export function unchecked(error: unknown, language: Language): string {
  const message = error instanceof Error ? error.message : String(error);
  return language === "zh" ? `无法检查参数：${message}` : `The arguments could not be checked: ${message}`;
}

/** The path of a value in the arguments, as a model would write it: `order.items[2].name`. */
export function writePath(keys: readonly PropertyKey[]): string {
  return keys.reduce<string>((path, key) => path + writeKey(key, path === ""), "");
}

function writeKey(key: PropertyKey, isFirst: boolean): string {
  if (typeof key === "number") return `[${key}]`;
  const name = shorten(String(key));
  if (!/^[\p{L}_$][\p{L}\p{N}_$-]*$/u.test(name)) return `[${JSON.stringify(name)}]`;
  return isFirst ? name : `.${name}`;
}

/** A text, cut to a readable length. */
export const shorten = (text: string, longest = 80): string =>
  text.length > longest ? `${text.slice(0, longest)}…` : text;
