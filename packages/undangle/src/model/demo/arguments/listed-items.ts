import { countedThingsIn } from "../facts/counted-things.ts";
import { factsOf } from "../facts/facts.ts";
import type { Filler, Wanted } from "./filler.ts";
import { fitsSchema } from "./fits-schema.ts";
import { parameterOf } from "./parameter.ts";
import { namesIn, readSchema, recordIn, typesOf } from "./read-schema.ts";
import type { Schema } from "./read-schema.ts";
import { escapedPattern } from "./said-text.ts";
import { trimmed } from "./wish-object.ts";

/** The items of a list that a wish tells one after the other: "attendees: Ann and Bob", "3 pens and 2 notebooks", "1, 2, 3". */
export function listedItems(item: Schema, filler: Filler, wanted: Wanted): readonly unknown[] {
  const [type = ""] = typesOf(item);
  if (type === "number" || type === "integer") return wanted.isRequired ? numbers(item, filler) : [];
  const counted = type === "object" ? countedItems(item, filler) : [];
  if (counted.length > 0) return counted;
  const values = listedTexts(wanted.name, filler).map((text) =>
    type === "object" ? itemOf(text, item, filler, wanted) : text,
  );
  const fitting = values.filter((value) => value !== undefined && fitsSchema(item, value));
  const { used } = filler.gathered;
  for (const value of fitting) if (typeof value === "string") used.add(value);
  return fitting;
}

/** The numbers of the wish that are nothing else, in its order. */
function numbers(item: Schema, { gathered: { wish, spent } }: Filler): readonly number[] {
  const found = wish.numbers.filter(({ at, value }) => !spent.has(at) && fitsSchema(item, value));
  for (const { at } of found) spent.add(at);
  return found.map(({ value }) => value);
}

/** Items that have a number and a name: so many of this. */
function countedItems(item: Schema, { root, gathered: { wish, spent, used } }: Filler): readonly unknown[] {
  const properties = Object.entries(recordIn(item, "properties"));
  const ofType = (...types: readonly string[]): readonly string[] =>
    properties.filter(([, inner]) => types.includes(typesOf(readSchema(inner, root))[0] ?? "")).map(([name]) => name);
  const [count] = ofType("number", "integer");
  const required = namesIn(item["required"]);
  const thing = ofType("string").find((name) => required.includes(name) || required.length === 0);
  if (count === undefined || thing === undefined) return [];
  const found = countedThingsIn(wish.text)
    .map((each) => ({ ...each, value: { [thing]: each.thing, [count]: each.count } }))
    .filter(({ at, value }) => !spent.has(at) && fitsSchema(item, value));
  for (const { at, thing: name, count: number } of found) {
    spent.add(at);
    used.add(name).add(String(number));
  }
  return found.map(({ value }) => value);
}

/** An item of which one thing was said. */
function itemOf(text: string, item: Schema, filler: Filler, wanted: Wanted): unknown {
  const gathered = {
    ...filler.gathered,
    wish: factsOf(text, filler.gathered.now),
    around: [],
    results: [],
    used: new Set<string>(),
    spent: new Set<number>(),
  };
  const madeUp = new Set<string>();
  const value = filler.fill(
    item,
    { ...filler, gathered, madeUp, failed: undefined },
    { ...wanted, isRequired: true, depth: wanted.depth + 1 },
  );
  for (const name of madeUp) filler.madeUp.add(name);
  return value;
}

const person = String.raw`\p{Lu}[\p{L}-]*(?: \p{Lu}[\p{L}-]*)?`;
const joint = String.raw`(?:,\s*(?:and\s+)?|\s+and\s+|\s*[、和与及]\s*)`;
const company = new RegExp(String.raw`\b(?:with|invit(?:e|ing)|and)\s+(${person}(?:${joint}${person}){0,19})`, "u");
const han = String.raw`(?:(?![和与及跟])\p{Script=Han}){2,3}`; // a joint is none of its characters, so that there is one way to read it
const chineseCompany = new RegExp(
  `(?:邀请|叫上|跟|和|与)\\s*(${han}(?:[、和与]${han}){0,19})(?=一起|开会|参加|出席|[，。]|$)`,
  "u",
);

/** The texts that stand behind the name of a list, or behind "with" where it is one of people. */
function listedTexts(name: string, { gathered: { wish, used } }: Filler): readonly string[] {
  const { labels, aspect, stems } = parameterOf(name, {});
  const isPeople =
    aspect === "person" || [...stems].some((stem) => /^(?:attende|participant|invite|guest|people|member)/u.test(stem));
  const behind = labels.flatMap((label) => {
    const pattern = `(?<![\\w])${escapedPattern(label)}(?:s|es)?(?:\\s*[:：=]|\\s+(?:is|are)\\b|是|为|有|包括)?\\s*([^;；。，!?！？\\n]+)`;
    const found = label.length < 2 ? undefined : new RegExp(pattern, "iu").exec(wish.text)?.[1];
    return found === undefined ? [] : [found];
  });
  const led = isPeople ? [company.exec(wish.text)?.[1], chineseCompany.exec(wish.text)?.[1]] : [];
  const run = [...behind, ...led].find((text) => text !== undefined);
  if (run === undefined) return [];
  const isChinese = /\p{Script=Han}/u.test(run);
  const pieces = run.split(isChinese ? /\s*[、和与及,]\s*/u : /\s*,\s*(?:and\s+)?|\s+and\s+/u).map(cut);
  const end = pieces.findIndex((piece) => piece === "" || piece.length > 40 || /[:：]/u.test(piece));
  return pieces.slice(0, end < 0 ? 20 : Math.min(end, 20)).filter((piece) => !used.has(piece));
}

/** What is said of a list goes on after its last item. */
const cut = (text: string): string =>
  trimmed(text.replace(/\s+(?:at|on|in|for|to|from|with|about|tomorrow|today|saying)\b.*$/isu, ""));
