import { isRecord } from "#core";

import type { ToolDescription } from "../../model.ts";
import { calculation, inOrder } from "./arithmetic.ts";
import { isVerb } from "./lexicon.ts";
import { matchTool } from "./match-tool.ts";
import type { Match, ToolWords } from "./match-tool.ts";
import { withoutPercentages } from "./percentages.ts";
import type { Percentage } from "./percentages.ts";
import { wordsOf } from "./words.ts";

/** One thing that a message asks for, and the tool for it. */
export interface Wish {
  readonly tool: ToolDescription;
  /** The part of the message that asks for it. */
  readonly text: string;
  /** What is to be done first has a smaller number; the same number is done at once. */
  readonly stage: number;
}

/** As many calls as are made at once, as many turns as a plan has, and as much of a message as is looked at. */
const most = { calls: 8, stages: 4, clauses: 60 };

/** What a message asks for, in its order. */
export const wishesOf = (message: string, tools: readonly ToolWords[]): readonly Wish[] =>
  readWishes(message, tools).wishes;

/** What a message asks for, and what it wants to be done behind that and no tool does. */
export function readWishes(
  message: string,
  tools: readonly ToolWords[],
): { readonly wishes: readonly Wish[]; readonly unmet: readonly string[] } {
  const { text: plain, found } = withoutPercentages(message);
  const unmet: string[] = [];
  const wishes: { tool: ToolWords; text: string; stage: number }[] = [];
  let stage = 0;
  let lead: Clause | undefined; // what is said before the first wish belongs to it
  for (const read of clausesOf(plain)) {
    const clause = found.length === 0 ? read : { ...read, text: told(read.text, found, tools) };
    const { text, joint } = clause;
    if (isLater(joint) && wishes.length > 0) stage++;
    if (isRefused(text)) continue;
    const last = wishes.at(-1);
    const match = matchTool(text, tools);
    const isOfLast = last !== undefined && match?.tool === last.tool;
    const isBare = last !== undefined && values.test(text) && isOneMore(clause, last.tool);
    if (last !== undefined && isOneMorePair(clause, last.text)) {
      wishes.push({ tool: last.tool, text: inUnitOf(paired(text), last.text), stage });
      continue;
    }
    const isMore =
      last !== undefined && (isBare || isSameThing(clause, last.tool) || (isOfLast && isDetail(text, match)));
    if (match !== undefined && !isMore) {
      if (lead !== undefined && isOneMore({ text: bare(lead.text), joint }, match.tool)) {
        wishes.push({ tool: match.tool, text: bare(lead.text), stage }, { tool: match.tool, text, stage });
      } else wishes.push({ tool: match.tool, text: lead === undefined ? text : lead.text + joint + text, stage });
      lead = undefined;
    } else if (last === undefined) lead = lead === undefined ? clause : { ...lead, text: lead.text + joint + text };
    else if (isOneMore(clause, last.tool)) wishes.push({ tool: last.tool, text, stage });
    else if (isLater(joint) && !politeness.test(text) && !telling.test(text)) unmet.push(text);
    else last.text += joint + text;
  }
  const read = wishes.map(({ tool, text, stage: at }) => ({ tool: tool.tool, text: inOrder(text), stage: at }));
  return { wishes: bounded(read), unmet };
}

/** What was told in percent is a formula for who calculates, a number for others, and what it was in what is to be passed on. */
function told(text: string, found: readonly Percentage[], tools: readonly ToolWords[]): string {
  const as = (form: "said" | "value"): string =>
    found.reduce((rest, each) => rest.replace(each.formula, () => each[form]), text);
  const valued = as("value");
  if (valued === text) return text;
  if (passedOn.test(text)) return as("said");
  const { tool } = matchTool(valued, tools) ?? {};
  const isCalculator = tool?.words.concepts.has("number") === true && tool.operations.size === 0;
  const hasCalculator = tools.some(({ words, operations }) => words.concepts.has("number") && operations.size === 0);
  return isCalculator || (tool === undefined && hasCalculator) ? text : tool === undefined ? as("said") : valued;
}

const passedOn = /\b(?:saying|says|that|about|subject|body|titled|called)\b|内容|主题|告诉|说/iu;

/** No more calls in a turn than a person can look through; the rest comes afterwards. */
function bounded(wishes: readonly Wish[]): readonly Wish[] {
  let shift = 0;
  let inStage = 0;
  let stage = -1;
  return wishes
    .map((wish) => {
      if (wish.stage + shift !== stage) inStage = 0;
      else if (inStage >= most.calls) {
        shift++;
        inStage = 0;
      }
      inStage++;
      stage = wish.stage + shift;
      return { ...wish, stage };
    })
    .filter(({ stage: at }) => at < most.stages);
}

interface Clause {
  readonly text: string;
  /** What stands between it and the one before it. */
  readonly joint: string;
}

const whole =
  /"[^"]*"|“[^“”]*”|「[^「」]*」|《[^《》]*》|`[^`]*`|https?:\/\/\S+|(?<![\w.+-])[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+/u;
const kept = new RegExp(`${whole.source}|${calculation}|\\d[\\d.,:]*\\d`, "giu");
const joints =
  /([\s,]*(?:\band then\b|\bafter that\b|\bafterwards\b|\bthen\b|\band also\b|\band\b|\bplus\b|\balso\b)\s+|[;!?\n]+\s*|\.(?=\s|$)\s*|,\s+|[。；！？，、]+|(?:然后|之后|接着|接下来|最后)再?|(?<=\p{Script=Han})再(?=\p{Script=Han})|并且|同时|以及|还有|另外|顺便|(?<=\p{Script=Han}\s*)[和与并](?=\s*[\p{Script=Han}\d]))/giu;

/** The parts of a message between its "and"s, its commas and its full stops; quotations and addresses stay whole. */
function clausesOf(message: string): readonly Clause[] {
  const pieces: string[] = [];
  const masked = message.replaceAll(kept, (text) => `\u{e001}${pieces.push(text) - 1}\u{e002}`);
  const open = (text: string): string =>
    text.replaceAll(/\u{e001}(\d+)\u{e002}/gu, (_, place: string) => pieces[Number(place)] ?? "");
  const clauses: Clause[] = [];
  let joint = "";
  masked.split(joints).forEach((piece, i) => {
    if (i % 2 === 1) joint += piece;
    else if (piece.trim() !== "") {
      clauses.push({ text: open(piece).trim(), joint });
      joint = "";
    }
  });
  return clauses.slice(0, most.clauses);
}

const isLater = (joint: string): boolean => /then|after|然后|之后|接着|接下来|最后|再/iu.test(joint);

const refusals = /^(?:please )?(?:do not|don't|dont|never|no need to)\b|^(?:请?不要|别|不用|无需|请勿|先不)/iu;

/** A part that says what not to do. */
const isRefused = (text: string): boolean => refusals.test(text);

const politeness = /^(?:thanks?|thank you|please|ok(?:ay)?|bye|now|today|谢谢|好的|请|吧)\W*$/iu;

/** What comes of calls is told in any case. */
const telling =
  /^(?:please )?(?:tell|show|report|say|summari[sz]e|explain|describe|let me know|give me)\b|^(?:请?(?:告诉|说|总结|汇报|解释|给我看))/iu;

const sum = String.raw`(?:[€$£¥]\s*)?\d[\d.,]*\s*(?:euros?|eur|usd|dollars?|pounds?|yuan|rmb|€|\$|元|块钱?|美元|欧元)?`;
const somebody = String.raw`(?:\S+@\S+|\p{Lu}[\p{L}-]*(?: \p{Lu}[\p{L}-]*)*|\p{Script=Han}{2,4}?)`;
const pair = new RegExp(
  `^(?:${sum}\\s*(?:to|for|给)\\s*${somebody}|(?:to|for|给)\\s*${somebody}\\s*${sum}|${somebody}\\s*${sum})\\W*$`,
  "u",
);
const named = new RegExp(`(?:to|for|给|pay|付|转)\\s*${somebody}|${somebody}\\s+${sum}`, "u");
const nameFirst = new RegExp(`^(?!(?:to|for|给))(${somebody})\\s*(${sum})\\W*$`, "u");

/** "Pay 20 to Bob, 30 to Ann": a sum and somebody, behind a wish that has both, asks for the same once more. */
const isOneMorePair = ({ text, joint }: Clause, before: string): boolean =>
  (isAnd(joint) || /^[,，、]\s*$/u.test(joint)) && pair.test(text) && /\d/u.test(before) && named.test(before);

/** "Ann 30" is 30 to Ann. */
const paired = (text: string): string =>
  text.replace(nameFirst, (_, name: string, money: string) =>
    /\p{Script=Han}/u.test(name) ? `给${name} ${money}` : `${money} to ${name}`,
  );

const units = /\d\s*(euros?|eur|usd|dollars?|pounds?|yuan|rmb|€|\$|元|块|美元|欧元)/iu;

/** "5 dollars to Bob and 7 to Ann": what is said without a unit is in that of the one before. */
function inUnitOf(text: string, before: string): string {
  const unit = units.exec(before)?.[1] ?? /[€$£¥]/u.exec(before)?.[0];
  return unit === undefined || units.test(text) || /[€$£¥]/u.test(text)
    ? text
    : text.replace(/\d[\d.,]*/u, (digits) => `${digits} ${unit}`);
}

/** "Delete mail 4 and mail 5": a part without a verb, about what the tool before it is about, is for that tool. */
function isSameThing({ text, joint }: Clause, { tool, words }: ToolWords): boolean {
  const { concepts } = wordsOf(text);
  if (!isAnd(joint) || parametersOf(tool).length === 0 || [...concepts].some(isVerb)) return false;
  return [...concepts].some((concept) => words.concepts.has(concept));
}

/** A part that only speaks of arguments: what was asked for goes on. */
function isDetail(text: string, { isSure, tool: { parameters } }: Match): boolean {
  const { concepts, stems, pairs } = wordsOf(text);
  const isNamed =
    [...stems].some((stem) => parameters.stems.has(stem)) || [...pairs].some((pair) => parameters.pairs.has(pair));
  return !isSure || (isNamed && ![...concepts].some(isVerb));
}

/** What a wish begins with before it says anything. */
const bare = (text: string): string => text.replace(/^(?:please|请|麻烦|帮我|给我|替我|我想|我要|把|将|\s)+/iu, "");

const isAnd = (joint: string): boolean => /and|和|与|以及|、|还有/iu.test(joint);

const values =
  /^(?:the )?(?:#?\d[\d.]*\s*[号封条]?|"[^"]+"|“[^“”]+”|\S+@\S+|[\w/.-]+\.\w{2,4}|\p{Lu}[\p{L}-]*(?: \p{Lu}[\p{L}-]*)*)\W*$/u;

/** "Paris and Berlin": a bare value behind one that a tool was found for asks for the same once more. */
function isOneMore(clause: Clause, tool: ToolWords): boolean {
  const { text, joint } = clause;
  const parameters = parametersOf(tool.tool);
  if (parameters.length === 0 || parameters.some((each) => isRecord(each) && each["type"] === "array")) return false;
  const { concepts } = wordsOf(text);
  if (politeness.test(text) || tool.words.concepts.has("search") || [...concepts].some(isVerb)) return false;
  if (isSameThing(clause, tool)) return /\d|["“@]/u.test(text);
  if (values.test(text)) return isAnd(joint) || joint.trim() === ",";
  return isAnd(joint) && /^\p{Script=Han}{2,4}\W*$/u.test(text);
}

function parametersOf({ schema }: ToolDescription): readonly unknown[] {
  const { properties } = schema;
  return isRecord(properties) ? Object.values(properties) : [];
}
