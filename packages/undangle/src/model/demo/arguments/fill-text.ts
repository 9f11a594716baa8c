import type { Facts } from "../facts/facts.ts";
import { knownValue } from "../facts/known-values.ts";
import { conceptOf, latinWords, stemOf, wordsOf } from "../wishes/words.ts";
import { isPointing } from "./earlier.ts";
import { fitsSchema } from "./fits-schema.ts";
import type { Gathered } from "./gathered.ts";
import { roleBefore, roleOf } from "./parameter.ts";
import type { Parameter } from "./parameter.ts";
import { saidTexts } from "./said-text.ts";
import { objectOf } from "./wish-object.ts";

/** A text that somebody said for an argument; undefined when nobody did. */
export function saidText(parameter: Parameter, gathered: Gathered): string | undefined {
  const { wish, around, results, used, isLetter } = gathered;
  const value = valueIn(gathered, parameter);
  const candidates = [
    ...saidTexts(wish, parameter, isLetter),
    ...idsIn(wish, parameter),
    ...patternedIn(wish, parameter),
    ...around.flatMap((facts) => saidTexts(facts, parameter, true)),
    ...(typeof value === "string" || typeof value === "number" ? [String(value)] : []),
    ...results.flatMap((facts) => plainly(facts, parameter)),
  ];
  return firstFitting(candidates, parameter, used);
}

/** A text of the wish that may well be meant, where one is needed. */
export function likelyText(parameter: Parameter, gathered: Gathered): string | undefined {
  const { wish, around, used, isLetter } = gathered;
  const { aspect } = parameter;
  const isWritten = isLetter && (aspect === "text" || aspect === "subject");
  const object = isWritten ? undefined : objectFor(parameter, gathered);
  const isTyped = ["email", "url", "date", "time", "zone", "currency", "formula"].includes(aspect);
  const candidates = [
    ...wish.quoted,
    ...(isTyped ? [] : wish.ids),
    ...(["text", "subject", "query"].includes(aspect) ? [] : wish.names.filter((name) => mayBe(name, parameter, wish))),
    ...(object !== undefined && !isTyped ? [object] : []),
    ...(typeof parameter.schema["pattern"] === "string" ? wish.numbers.map(({ text }) => text) : []), // a post code
    ...(wish.numbers.length > 0 && aspect === "id" ? wish.numbers.map(({ text }) => text) : []),
    ...around.flatMap(({ quoted }) => quoted),
  ];
  return firstFitting(candidates, parameter, used);
}

/** "To Rome" is not where one comes from. */
function mayBe(text: string, { name }: Parameter, wish: Facts): boolean {
  const role = roleOf(name);
  const led = roleBefore(wish.text, wish.text.indexOf(text));
  return role === undefined || led === undefined || led === role;
}

/** What the wish is about, unless that is only what the tool is about: the mail of `read_mail` is no argument. */
function objectFor({ aspect, name }: Parameter, { wish, about, used }: Gathered): string | undefined {
  const whole = objectOf(wish.text);
  const object = whole === undefined || aspect === "query" || aspect === "text" ? whole : askedAbout(whole);
  if (object === undefined) return undefined;
  const { concepts, pairs } = wordsOf(object);
  const isTaken = [...used].some((text) => object.includes(text)) && aspect !== "query" && aspect !== "text";
  const isNamed = aspect !== "person" || /^\p{Lu}|\p{Script=Han}|@/u.test(object);
  const isNobody = (aspect === "place" || aspect === "person") && (concepts.size > 0 || /\d/u.test(object) || !isNamed);
  const isWay = roleOf(name) !== undefined && /\b(?:to|from)\b|[从到]/iu.test(object);
  if (isTaken || isNobody || isWay) return undefined;
  const isOwn = [...concepts].every((concept) => about.concepts.has(concept));
  const saysMore = latinWords(object).some((word) => conceptOf(stemOf(word)) === undefined);
  return !isOwn || saysMore || pairs.size > 0 || /\d/u.test(object) ? object : undefined;
}

const asking =
  /\s*(?:有多|有什么|有哪些|有几|是什么|是谁|在哪|怎么|如何|为什么|多少|多大|吗|呢).*$|^(?:how|what|who|when|where|why|which)\b.*$/isu;

/** A question is not the value that it asks about: 罗马有多大 is about 罗马. */
function askedAbout(text: string): string | undefined {
  const thing = text.replace(asking, "").trim();
  return thing === "" ? undefined : thing;
}

function firstFitting(candidates: readonly string[], { schema }: Parameter, used: Set<string>): string | undefined {
  const found = candidates.find((text) => !used.has(text) && fitsSchema(schema, text));
  if (found !== undefined) used.add(found);
  return found;
}

/** What results said under the name of this argument. A text that is to be written is not one that was read. */
function valueIn(gathered: Gathered, { name, aspect }: Parameter): unknown {
  const { known, earlier, isAnswer, isGrave, wish } = gathered;
  if (isAnswer) return knownValue(known, name);
  if (["text", "subject", "query", "other"].includes(aspect)) return undefined;
  const isMeant = ["id", "path", "email", "url"].includes(aspect) && (!isGrave || isPointing(wish.text));
  return knownValue(isMeant ? earlier : known, name);
}

/** What a result says without doubt. */
function plainly({ emails, urls, paths }: Facts, { aspect }: Parameter): readonly string[] {
  return aspect === "email" ? emails : aspect === "url" ? urls : aspect === "path" ? paths : [];
}

/** Words that a pattern tells from all others: acme/web, #general. */
function patternedIn({ text }: Facts, { schema }: Parameter): readonly string[] {
  if (typeof schema["pattern"] !== "string" || ["the", "Word", "12"].some((word) => fitsSchema(schema, word)))
    return [];
  const words = text.split(/[\s，。；、“”"'`]+/u).slice(0, 200);
  return words.map((word) => word.replace(/[.,;:!?]+$/u, "")).filter((word) => fitsSchema(schema, word));
}

/** An id that is written as one, or a number that belongs to a thing. */
function idsIn({ ids, numbers }: Facts, { aspect }: Parameter): readonly string[] {
  return aspect === "id" ? [...ids, ...numbers.filter(({ label }) => label !== "").map(({ text }) => text)] : [];
}
