import type { Language } from "#core";
import type { ModelRequest } from "#model";

import { freeTag } from "../free-tag.ts";
import type { Catalogue, Skill } from "./load-skills.ts";
import { cut, oneLine } from "./read-skill.ts";
import { skillTexts } from "./skill-texts.ts";

export interface SkillsSectionOptions {
  /** The most characters of the list. */
  readonly limit: number;
  readonly sources: readonly string[];
  /** The name of the tool that reads files. */
  readonly readTool: string;
  readonly language: Language;
  readonly tools: ModelRequest["tools"];
}

/** How many problems the model sees, and how much of each. */
const most = { problems: 20, length: 1_000, tools: 500 } as const;

/** The system text about skills, or undefined if there is nothing to show. */
export function skillsSection(
  { skills, problems }: Catalogue,
  { limit, sources, readTool, language, tools }: SkillsSectionOptions,
): string | undefined {
  const errors = problems.filter(({ isError }) => isError).map(({ text }) => text);
  if (skills.length === 0 && errors.length === 0) return undefined;
  const texts = skillTexts[language];
  const { lines, omitted } = listed(skills, { limit, language });
  const search = ["grep", "ls"].find((name) => tools.some((tool) => tool.name === name));
  const shown = errors.slice(0, most.problems).map((text) => `- ${quoted(text)}`);
  const list = [
    ...lines,
    ...(omitted === 0 ? [] : [texts.omitted(omitted, { search, sources })]),
    ...(shown.length === 0 ? [] : [texts.problems, ...shown]),
    ...(errors.length > shown.length ? [texts.moreProblems(errors.length - shown.length)] : []),
  ].join("\n");
  const tag = freeTag("skill_list", list);
  return `${texts.prompt(readTool)}\n\n<${tag}>\n${list}\n</${tag}>`;
}

/** One line for each skill, as many as fit. */
function listed(
  skills: readonly Skill[],
  { limit, language }: { readonly limit: number; readonly language: Language },
): { readonly lines: readonly string[]; readonly omitted: number } {
  const lines: string[] = [];
  let length = 0;
  for (const skill of skills) {
    const line = lineOf(skill, language);
    length += line.length + 1;
    if (length > limit) break;
    lines.push(line);
  }
  return { lines, omitted: skills.length - lines.length };
}

function lineOf({ name, path, description, license, compatibility, allowedTools }: Skill, language: Language): string {
  const labels = skillTexts[language];
  const facts = [
    ...(license === undefined ? [] : [`${labels.license}: ${license}`]),
    ...(compatibility === undefined ? [] : [`${labels.compatibility}: ${compatibility}`]),
    ...(allowedTools.length === 0 ? [] : [`${labels.allowedTools}: ${cut(allowedTools.join(", "), most.tools)}`]),
  ];
  return `- ${name} (${path}): ${description}${facts.length === 0 ? "" : ` [${facts.join("; ")}]`}`;
}

/** A text of unknown origin as a JSON string, which contains no tag and no line end. */
function quoted(text: string): string {
  const json = JSON.stringify(oneLine(text).toWellFormed()).replaceAll("<", "\\u003c");
  return json.length <= most.length ? json : `${json.slice(0, most.length - 2)}…"`;
}
