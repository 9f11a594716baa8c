import type { Language } from "#core";
import { nameOf, readText } from "#files";

import { skillTexts } from "./skill-texts.ts";

/** What the front matter of a SKILL.md states. */
export interface SkillMatter {
  readonly name: string;
  readonly description: string;
  readonly license: string | undefined;
  readonly compatibility: string | undefined;
  /** Names of tools, perhaps of another program. Empty if there is no list. */
  readonly allowedTools: readonly string[];
}

/** A problem with a skill or a source. */
export interface SkillProblem {
  readonly text: string;
  /** True if something could not be loaded, which the model should know. */
  readonly isError: boolean;
}

export interface ReadSkill {
  /** Undefined if the skill cannot be used. */
  readonly matter: SkillMatter | undefined;
  readonly problems: readonly SkillProblem[];
}

/** In characters. Longer texts are cut. */
const longest = { name: 64, description: 1_024, license: 500, compatibility: 500 } as const;

/** In characters. YAML of this size is parsed within a second, whatever it contains. */
const longestMatter = 16_384;

/** Reads the front matter of a SKILL.md in a folder. */
export async function readSkill(folder: string, data: Uint8Array, language: Language): Promise<ReadSkill> {
  const texts = skillTexts[language];
  const refused = (reason: string): ReadSkill => ({
    matter: undefined,
    problems: [{ text: texts.skipped(folder, reason), isError: true }],
  });
  const file = readText(data);
  if (file === undefined) return refused(texts.notText);
  const matter = frontMatter(file);
  if (matter === undefined) return refused(texts.noMatter);
  if (matter.length > longestMatter) return refused(texts.longMatter(matter.length, longestMatter));
  const fields = await readFields(matter);
  if (typeof fields === "string") return refused(texts.badYaml(fields));
  if (fields === undefined) return refused(texts.noMapping);
  const given = oneLine(fields.text("description"));
  if (given === "") return refused(texts.noDescription);
  const description = cut(given, longest.description);
  const compatibility = oneLine(fields.text("compatibility"));
  const license = cut(oneLine(fields.text("license")), longest.license);
  const { name, isValid } = skillName(oneLine(fields.text("name")), nameOf(folder));
  const warnings = [
    ...(isValid ? [] : [texts.oddName(folder, name)]),
    ...(description === given ? [] : [texts.longText(folder, "description", longest.description)]),
    ...(compatibility.length <= longest.compatibility
      ? []
      : [texts.longText(folder, "compatibility", longest.compatibility)]),
  ];
  return {
    matter: {
      name,
      description,
      license: license === "" ? undefined : license,
      compatibility: compatibility === "" ? undefined : cut(compatibility, longest.compatibility),
      allowedTools: fields.list("allowed-tools"),
    },
    problems: warnings.map((text) => ({ text, isError: false })),
  };
}

/** The lines between `---` at the beginning of a file. */
function frontMatter(file: string): string | undefined {
  const [first, ...lines] = file.split(/\r\n|\n|\r/u);
  if (first?.trimEnd() !== "---") return undefined;
  const end = lines.findIndex((line) => line.trimEnd() === "---");
  return end === -1 ? undefined : lines.slice(0, end).join("\n");
}

/** The fields of a mapping. */
interface Fields {
  /** A text, number or boolean, as it is written; empty for anything else. */
  readonly text: (key: string) => string;
  /** A YAML list, or a text with names that spaces or commas separate. */
  readonly list: (key: string) => readonly string[];
}

/**
 * Parses YAML. Returns a text if it is not valid, and undefined if it is not a mapping. Only the fields that are asked for
 * become values, one by one: aliases do not multiply, and no tag creates anything.
 */
async function readFields(matter: string): Promise<Fields | string | undefined> {
  const { isAlias, isMap, isScalar, isSeq, parseDocument } = await import("yaml");
  // Complex keys are refused, and repeated keys are not searched for: both take very long in a small text.
  const options = { logLevel: "silent", prettyErrors: false, stringKeys: true, uniqueKeys: false } as const;
  const document = parseDocument(matter, options);
  const [error] = document.errors;
  if (error !== undefined) return oneLine(error.message);
  const { contents } = document;
  if (!isMap(contents)) return undefined;
  const nodeOf = (key: string): unknown => {
    const found = contents.items.findLast((pair) => isScalar(pair.key) && pair.key.value === key)?.value;
    return isAlias(found) ? found.resolve(document) : found;
  };
  const textOf = (node: unknown): string => {
    if (!isScalar(node) || node.value === null) return "";
    return typeof node.value === "string" ? node.value : (node.source ?? "");
  };
  return {
    text: (key) => textOf(nodeOf(key)),
    list(key) {
      const node = nodeOf(key);
      const found = isSeq(node) ? node.items.map((item) => oneLine(textOf(item))) : toolNames(textOf(node));
      return [...new Set(found.filter((name) => name !== ""))];
    },
  };
}

/** The names in a text. Spaces inside of parentheses separate nothing: `Bash(git add:*)`. */
const toolNames = (text: string): readonly string[] =>
  [...text.matchAll(/[^\s,()]+(?:\([^()]*\))?/gu)].map(([name]) => oneLine(name));

/** The name of a skill. That of its folder, if it has none. */
function skillName(given: string, folder: string): { readonly name: string; readonly isValid: boolean } {
  const name = cut(given === "" ? folder : given, longest.name);
  const isValid = /^[\p{Ll}\p{Nd}]+(?:-[\p{Ll}\p{Nd}]+)*$/u.test(given) && given.normalize() === folder.normalize();
  return { name, isValid: isValid && name === given };
}

export const oneLine = (text: string): string => text.replaceAll(/[\s\p{Cc}]+/gu, " ").trim();

/** The beginning of a text, by code points. */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const characters = Array.from(text);
  return characters.length <= most ? text : characters.slice(0, most).join("");
}
