/** Writes the pages of `docs/reference` that are made from tables in the code: `npm run docs`. */
import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { cliReference } from "../packages/undangle/src/cli/cli-reference.ts";
import type { RuleId } from "../packages/undangle/src/core/catalogue/catalogue.ts";
import { confidenceOf, families, rules } from "../packages/undangle/src/core/catalogue/catalogue.ts";
import type { Rule, RuleCase } from "../packages/undangle/src/core/catalogue/rule.ts";

/** Every generated page by its path from the root of the repository. */
export const pages: Readonly<Record<string, () => string>> = {
  "docs/reference/rules.md": rulesPage,
  "docs/reference/cli.md": cliReference,
};

/** The catalogue of rules as a page: an index, then a section for each rule under its slug. */
export function rulesPage(): string {
  const groups = Object.entries(families).map(([family, group]) => ({
    family,
    slugs: Object.keys(group) as RuleId[], // the families hold nothing but slugs
  }));
  return [
    "# Rules",
    "",
    "The rules by which providers accept or refuse the tool calls of a history. Every problem, edit and explanation names one of them.",
    "Made from the catalogue in `packages/undangle/src/core/catalogue` by `npm run docs`: edit that.",
    "",
    "*Known* rests on a recorded exchange, a provider's documents or source code, or a public report; *likely* follows from another rule;",
    "*contested* means that public evidence contradicts itself: such a case is never reported as a problem and never by itself a reason to edit.",
    "",
    "| rule | what is wrong | where | keeps everything |",
    "|---|---|---|---|",
    ...groups.flatMap(({ slugs }) => slugs.map(indexRow)),
    "",
    ...groups.flatMap(({ family, slugs }) => [`## ${heading(family)}`, "", ...slugs.flatMap(section)]),
  ].join("\n");
}

function indexRow(slug: RuleId): string {
  const rule = rules[slug];
  const where = [...new Set(rule.cases.map(({ format, provider }) => provider ?? format))].join(", ");
  return `| [\`${slug}\`](#${slug}) | ${cell(rule.title)} | ${where} | ${lossless(rule)} |`;
}

function section(slug: RuleId): readonly string[] {
  const rule = rules[slug];
  return [
    `### ${slug}`,
    "",
    `**${rule.title}.** ${rule.statement}`,
    "",
    `- How one gets there: ${rule.why}`,
    `- What a repair does: ${rule.fix}`,
    `- Keeps everything that was said: ${lossless(rule)}`,
    "",
    "| where | what holds | what the provider says | confidence | id |",
    "|---|---|---|---|---|",
    ...rule.cases.map(caseRow),
    "",
  ];
}

function caseRow(one: RuleCase): string {
  const where = one.provider === undefined ? one.format : `${one.format}: ${one.provider}`;
  const said = one.errors.length === 0 ? "" : one.errors.map(code).join("<br>");
  return `| ${where} | ${cell(one.statement)} | ${said} | ${confidence(one)} | ${one.id} |`;
}

function confidence(one: RuleCase): string {
  const { evidence, source } = one;
  const level = evidence === "contested" ? "contested" : confidenceOf(one);
  if (source === "") return `${level} (${evidence})`;
  return `${level} ([${evidence === "contested" ? "source" : evidence}](${source}))`;
}

function lossless({ lossless: kept }: Rule): string {
  return kept === true ? "yes" : kept === false ? "no" : kept;
}

function heading(family: string): string {
  return (family.charAt(0).toUpperCase() + family.slice(1)).replaceAll("-", " ");
}

/** A text in a table cell: a bar would end the cell, and signs of Markdown or HTML would not show. */
function cell(text: string): string {
  return text.replaceAll(/[|*<>\\]/gu, (sign) => `\\${sign}`);
}

/** A text as code, whatever backticks are in it. */
function code(text: string): string {
  const longest = Math.max(0, ...[...text.matchAll(/`+/gu)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  const pad = text.startsWith("`") || text.endsWith("`") ? " " : "";
  return `${fence}${pad}${text.replaceAll("|", String.raw`\|`)}${pad}${fence}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [path, write] of Object.entries(pages)) {
    const file = new URL(`../${path}`, import.meta.url);
    mkdirSync(new URL(".", file), { recursive: true });
    writeFileSync(file, write());
  }
}
