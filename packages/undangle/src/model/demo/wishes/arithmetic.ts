import { isRecord } from "#core";

import type { ToolDescription } from "../../model.ts";

/** What is done with two numbers. */
export type Operation = "add" | "subtract" | "multiply" | "divide";

const operations: readonly (readonly [Operation, words: RegExp, sign: RegExp])[] = [
  ["add", /\badd(?:s|ed|ing|ition)?\b|\bsums?\b|\bplus\b|\btotal\b|加|求和|总和|的和|之和|合计/iu, /\+/u],
  ["subtract", /\bsubtract\w*|\bminus\b|\bdifference\b|减|的差|之差/iu, /(?<=[\d)]\s*)-/u],
  ["multiply", /\bmultipl\w+|\btimes\b|\bproduct of\b|乘|的积|之积/iu, /[*×]/u],
  ["divide", /\bdivid\w+|\bdivision\b|\bquotient\b|除(?!了)|的商|之商/iu, /[/÷]/u],
];

const number = String.raw`(?<![\d.,])-?\d{1,20}(?:\.\d{1,20})?(?!\d)`;
const between = String.raw`\s{0,3}(?:plus|minus|times|multiplied by|divided by|加上|减去|乘以|除以|加|减|乘|除)\s{0,3}`;
const listed = String.raw`\s{0,3}(?:,\s{1,3}(?:and\s{1,3})?|、|and|to|from|by|with|和|与|跟|及)\s{0,3}`;
const verb = String.raw`\b(?:add|sum|subtract|multiply|divide|(?:sum|total|product|difference|quotient) of)(?:\s{1,3}(?:up|of|the|numbers?|these|together)){0,4}\s{1,3}`;
const together = String.raw`\s{0,3}(?:together|加起来|相加|相减|相乘|相除|求和|的(?:总和|和|差|积|商)|之[和差积商])`;

/** Numbers that something is done with: "4 plus 5", "add 2, 3 and 4", "2 和 3 加起来". They belong together. */
export const calculation = [
  `${number}(?:${between}${number}){1,20}`,
  `${verb}${number}(?:${listed}${number}){1,20}`,
  `${number}(?:${listed}${number}){1,20}${together}`,
].join("|");

const calculations = new RegExp(calculation, "giu");

/** What a text, with formulas in it, wants to be done with numbers; empty where it wants nothing of the kind. */
export function operationsIn(text: string, formulas: readonly string[]): ReadonlySet<Operation> {
  const said = text.match(calculations) ?? [];
  return new Set(
    operations.flatMap(([name, words, sign]) =>
      said.some((each) => words.test(each)) || formulas.some((each) => sign.test(each)) ? [name] : [],
    ),
  );
}

const signs: Readonly<Record<Operation, string>> = { add: "+", subtract: "-", multiply: "*", divide: "/" };

/** What is told in words, as a formula: "multiply 3 by 4" is 3 * 4. */
export const wordedFormulasIn = (text: string): readonly string[] =>
  (text.match(calculations) ?? []).flatMap((said) => {
    const [operation, ...others] = operationsIn(said, []);
    const numbers = inOrder(said).match(/-?\d+(?:\.\d+)?/gu) ?? [];
    if (operation === undefined) return [];
    return others.length > 0 ? chainIn(said) : [numbers.join(` ${signs[operation]} `)];
  });

const chains = new RegExp(`^${number}(?:${between}${number}){1,20}$`, "iu");

/** "3 times 4 plus 2" is 3 * 4 + 2; what is not said number by number is nothing. */
const chainIn = (said: string): readonly string[] =>
  chains.test(said)
    ? [
        operations.reduce(
          (text, [name, words]) =>
            text.replaceAll(new RegExp(`\\s*(?:${wordsFor[name]}|${words.source})\\s*`, "giu"), ` ${signs[name]} `),
          said,
        ),
      ]
    : [];

/** As they stand between two numbers. */
const wordsFor: Readonly<Record<Operation, string>> = {
  add: "加上",
  subtract: "减去",
  multiply: "multiplied by|乘以",
  divide: "divided by|除以",
};

/** A text without what it wants to be done with numbers: its verb is that of other things as well. */
export const withoutCalculations = (text: string): string => text.replaceAll(calculations, " ");

/** What a tool does with the numbers that it takes; empty for one that does not take two. */
export function operationsOf({ name, description = "", schema }: ToolDescription): ReadonlySet<Operation> {
  const { properties } = schema;
  if (!isRecord(properties) || !takesNumbers(Object.values(properties))) return new Set();
  const text = `${name.replaceAll(/[_\-.]/gu, " ")} ${description.slice(0, 300)}`;
  return new Set(operations.flatMap(([operation, words]) => (words.test(text) ? [operation] : [])));
}

/** How many numbers a tool takes. */
export function mostNumbers({ schema: { properties } }: ToolDescription): number {
  const schemas = isRecord(properties) ? Object.values(properties) : [];
  const hasList = schemas.some((each) => isRecord(each) && each["type"] === "array");
  return hasList ? Infinity : schemas.filter(isNumeric).length;
}

const takesNumbers = (schemas: readonly unknown[]): boolean =>
  schemas.filter(isNumeric).length > 1 ||
  schemas.some((each) => isRecord(each) && each["type"] === "array" && isNumeric(each["items"]));

const isNumeric = (schema: unknown): boolean =>
  isRecord(schema) && (schema["type"] === "number" || schema["type"] === "integer");

const backwards = new RegExp(String.raw`(\bsubtract\s+)(${number})(\s+from\s+)(${number})`, "iu");

/** What is taken away is said first, and comes second. */
export const inOrder = (text: string): string => text.replace(backwards, "$1$4$3$2");
