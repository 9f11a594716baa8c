import { isRecord } from "#core";

import type { ToolDescription } from "../../model.ts";
import { factsOf } from "../facts/facts.ts";
import type { Facts } from "../facts/facts.ts";
import { mostNumbers, operationsIn, operationsOf, withoutCalculations } from "./arithmetic.ts";
import type { Operation } from "./arithmetic.ts";
import { isGrave, isVerb, kindOf } from "./lexicon.ts";
import type { ConceptName } from "./lexicon.ts";
import { wordsOf } from "./words.ts";
import type { Words } from "./words.ts";

/** A tool, and what it speaks of. */
export interface ToolWords {
  readonly tool: ToolDescription;
  /** Of its name and its description together. */
  readonly words: Words;
  readonly name: Words;
  readonly description: Words;
  readonly parameters: Words;
  /** The values that its arguments can be chosen from, in lower case. */
  readonly choices: readonly string[];
  /** What it does with numbers. */
  readonly operations: ReadonlySet<Operation>;
}

export interface Match {
  readonly tool: ToolWords;
  /** It is the tool itself that was spoken of, and not only one of its arguments. */
  readonly isSure: boolean;
}

const longest = 300;
const enough = 2;

/** What a tool speaks of. Descriptions may be long, and say what matters first. */
export function readTool(tool: ToolDescription): ToolWords {
  const known = readTools.get(tool);
  if (known !== undefined) return known;
  const { name, description = "", schema } = tool;
  const properties = isRecord(schema["properties"]) ? schema["properties"] : {};
  const inner = Object.entries(properties).map(([key, value]) => {
    const said = isRecord(value) ? value["description"] : undefined;
    return `${key} ${typeof said === "string" ? said.slice(0, longest) : ""}`;
  });
  const read: ToolWords = {
    tool,
    words: wordsOf(`${name} ${description.slice(0, longest)}`),
    name: wordsOf(name),
    description: wordsOf(description.slice(0, longest)),
    parameters: wordsOf(inner.join(" ; ")),
    choices: Object.values(properties).flatMap(choicesOf),
    operations: operationsOf(tool),
  };
  readTools.set(tool, read);
  return read;
}

/** The tools of an agent are the same objects in every request. */
const readTools = new WeakMap<ToolDescription, ToolWords>();

const choicesOf = (schema: unknown): readonly string[] =>
  isRecord(schema) && Array.isArray(schema["enum"])
    ? schema["enum"].filter((value) => typeof value === "string").map((value) => value.toLowerCase())
    : [];

/** The tool that a text asks for; undefined when none of them is spoken of. */
export function matchTool(text: string, tools: readonly ToolWords[]): Match | undefined {
  const facts = factsOf(text, 0);
  const operations = operationsIn(text, facts.formulas);
  const wish = wordsOf(withoutContent(withoutCalculations(text)) + things(facts, operations));
  let best: { readonly match: Match; readonly points: number } | undefined;
  for (const tool of tools) {
    const own = ownPoints(text, wish, tool) + operationPoints(operations, tool, facts.numbers.length);
    const points = own + argumentPoints(text, wish, tool);
    if (points >= enough && own > 0 && points > (best?.points ?? 0))
      best = { match: { tool, isSure: own >= enough }, points };
  }
  return best?.match;
}

const weights = { thing: 3, doing: 3, looking: 1.5, hint: 1 } as const;

/** What all kinds of tools do, and may be called by one another's names: to write a mail is to send it. */
const general: ReadonlySet<ConceptName> = new Set(["write", "create", "send", "switch"]);

/** To search is what some tools are for, to read is what all of them do. */
function weightOf(concept: ConceptName): number {
  if (concept === "search") return 2;
  return general.has(concept) && concept !== "send" ? 1.5 : weights[kindOf(concept)];
}

const content =
  /(?<=\b(?:remind me to|remember (?:that|to)|note that|saying|tell (?:him|her|them)|about)\b|提醒我|记住|记下|告诉[他她]们?|内容[是为]|关于).*$/isu;

/** What is spoken of by its address: a path is a file. */
function things({ emails, urls, paths, formulas }: Facts, operations: ReadonlySet<Operation>): string {
  const found = [
    [emails, " mail"],
    [urls, " web"],
    [paths, " file"],
    [[...formulas, ...operations], " calculate"],
  ] as const;
  return found.map(([facts, word]) => (facts.length > 0 ? word : "")).join("");
}

/** A tool that adds is for what is to be added, and not for what is to be divided. */
function operationPoints(asked: ReadonlySet<Operation>, { operations, tool }: ToolWords, numbers: number): number {
  if (asked.size === 0 || operations.size === 0) return 0;
  if (![...asked].every((each) => operations.has(each))) return -4;
  return numbers > mostNumbers(tool) ? 2.5 : 4; // another may have room for all of them
}

/** What is to be told or remembered is not what is to be done. */
const withoutContent = (text: string): string => text.replace(content, "");

/** How much a text speaks of what a tool is and does. */
function ownPoints(text: string, wish: Words, { tool, name, description }: ToolWords): number {
  let points = namePoints(text, tool.name);
  for (const concept of wish.concepts) {
    const weight = weightOf(concept);
    if (name.concepts.has(concept)) points += weight;
    else if (description.concepts.has(concept)) points += weight * 0.7;
  }
  // Of two words for one thing the same word is meant rather than the other.
  for (const stem of wish.known) points += name.known.has(stem) ? 0.4 : description.known.has(stem) ? 0.3 : 0;
  for (const stem of wish.stems) points += name.stems.has(stem) ? 3 : description.stems.has(stem) ? 1.25 : 0;
  return points + pairPoints(wish, name, description) - deedPoints(wish, name, description);
}

function namePoints(text: string, name: string): number {
  const isWritten = text.toLowerCase().includes(name.toLowerCase());
  return isWritten && name.length > 3 ? (/[_\-\d]/u.test(name) ? 10 : 2) : 0;
}

function pairPoints(wish: Words, name: Words, description: Words): number {
  const shared = [...wish.pairs].filter((pair) => name.pairs.has(pair) || description.pairs.has(pair)).length;
  return shared === 0 ? 0 : Math.min(shared + 1, 4);
}

/** What is done counts against a tool that does something else: nothing is deleted because mail was spoken of. */
function deedPoints(wish: Words, name: Words, description: Words): number {
  const deeds = (words: Words): readonly ConceptName[] =>
    [...words.concepts].filter((each) => kindOf(each) === "doing");
  const own = deeds(name).length > 0 ? deeds(name) : deeds(description);
  const asked = deeds(wish);
  const isAsked = own.some(
    (deed) => wish.concepts.has(deed) || (general.has(deed) && asked.some((each) => general.has(each))),
  );
  const isOther = [...wish.concepts].some(isVerb);
  const unasked = own.length === 0 || isAsked ? 0 : own.some(isGrave) ? 4 : isOther ? 2 : 0.5;
  const isDone = asked.length === 0 || isAsked || asked.some((deed) => description.concepts.has(deed));
  return unasked + (isDone ? 0 : asked.every((deed) => general.has(deed)) ? 2 : 3) + (isOfOther(wish, name) ? 2 : 0);
}

/** A tool for mail is none for files. */
function isOfOther(wish: Words, name: Words): boolean {
  const things = [...name.concepts].filter((each) => kindOf(each) === "thing");
  const isAbout = [...wish.concepts].some((each) => kindOf(each) === "thing");
  return isAbout && things.length > 0 && !things.some((each) => wish.concepts.has(each));
}

/** How much a text speaks of the arguments of a tool. */
function argumentPoints(text: string, wish: Words, { parameters, choices }: ToolWords): number {
  const lower = text.toLowerCase();
  const named = [...wish.stems].filter((stem) => parameters.stems.has(stem)).length * 0.75;
  const meant =
    [...wish.concepts].filter((concept) => kindOf(concept) === "thing" && parameters.concepts.has(concept)).length *
    0.75;
  const pairs = Math.min([...wish.pairs].filter((pair) => parameters.pairs.has(pair)).length * 0.5, 1);
  const chosen = choices.some((choice) => choice.length > 1 && lower.includes(choice)) ? 1.5 : 0;
  return named + meant + pairs + chosen;
}
