import type { Facts } from "../facts/facts.ts";
import { knownValue } from "../facts/known-values.ts";
import { conceptOf, latinWords, stemOf, wordsOf } from "../wishes/words.ts";
import { fitsSchema } from "./fits-schema.ts";
import type { Gathered } from "./gathered.ts";
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
    ...(["text", "subject", "query"].includes(aspect) ? [] : wish.names),
    ...(object !== undefined && !isTyped ? [object] : []),
    ...(wish.numbers.length > 0 && aspect === "id" ? wish.numbers.map(({ text }) => text) : []),
    ...around.flatMap(({ quoted }) => quoted),
  ];
  return firstFitting(candidates, parameter, used);
}

/** What the wish is about, unless that is only what the tool is about: the mail of `read_mail` is no argument. */
function objectFor({ aspect }: Parameter, { wish, about, used }: Gathered): string | undefined {
  const object = objectOf(wish.text);
  if (object === undefined) return undefined;
  const { concepts, pairs } = wordsOf(object);
  const isTaken = [...used].some((text) => object.includes(text)) && aspect !== "query" && aspect !== "text";
  const isNobody = (aspect === "place" || aspect === "person") && (concepts.size > 0 || /\d/u.test(object));
  if (isTaken || isNobody) return undefined;
  const isOwn = [...concepts].every((concept) => about.concepts.has(concept));
  const saysMore = latinWords(object).some((word) => conceptOf(stemOf(word)) === undefined);
  return !isOwn || saysMore || pairs.size > 0 || /\d/u.test(object) ? object : undefined;
}

function firstFitting(candidates: readonly string[], { schema }: Parameter, used: Set<string>): string | undefined {
  const found = candidates.find((text) => !used.has(text) && fitsSchema(schema, text));
  if (found !== undefined) used.add(found);
  return found;
}

/** What results said under the name of this argument. A text that is to be written is not one that was read. */
function valueIn({ known, earlier, isAnswer }: Gathered, { name, aspect }: Parameter): unknown {
  if (isAnswer) return knownValue(known, name);
  if (["text", "subject", "query", "other"].includes(aspect)) return undefined;
  return knownValue(["id", "path", "email", "url"].includes(aspect) ? earlier : known, name);
}

/** What a result says without doubt. */
function plainly({ emails, urls, paths }: Facts, { aspect }: Parameter): readonly string[] {
  return aspect === "email" ? emails : aspect === "url" ? urls : aspect === "path" ? paths : [];
}

/** An id that is written as one, or a number that belongs to a thing. */
function idsIn({ ids, numbers }: Facts, { aspect }: Parameter): readonly string[] {
  return aspect === "id" ? [...ids, ...numbers.filter(({ label }) => label !== "").map(({ text }) => text)] : [];
}
