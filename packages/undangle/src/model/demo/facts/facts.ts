import { conceptOf, isStopWord, stemOf } from "../wishes/words.ts";
import { datesIn, dayOf, timesIn } from "./dates.ts";
import { numbersIn } from "./number-facts.ts";
import type { NumberFact } from "./number-facts.ts";
import { placesIn } from "./places.ts";

/** What stands in a text that an argument could be. */
export interface Facts {
  readonly text: string;
  readonly quoted: readonly string[];
  readonly emails: readonly string[];
  readonly urls: readonly string[];
  readonly paths: readonly string[];
  /** As 2026-05-03. */
  readonly dates: readonly string[];
  readonly today: string;
  /** As 19:30. */
  readonly times: readonly string[];
  readonly numbers: readonly NumberFact[];
  /** Such as INV-12. */
  readonly ids: readonly string[];
  /** Words that begin with a capital letter where others do not. */
  readonly names: readonly string[];
  readonly places: readonly string[];
  readonly zones: readonly string[];
  /** Such as 12 * 3. */
  readonly formulas: readonly string[];
}

const quotes =
  /"([^"]+)"|“([^“”]+)”|「([^「」]+)」|『([^『』]+)』|《([^《》]+)》|`([^`]+)`|(?<![\w'])'([^']+)'(?!\w)/gu;
const emails = /(?<![\w.+-])[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+/gu;
const urls = /https?:\/\/[^\s"'<>，。；）)]+[^\s"'<>，。；）).,;!?]/gu;
const extension =
  "txt|md|json|csv|tsx?|jsx?|py|pdf|docx?|xlsx?|pptx?|png|jpe?g|gif|svg|html?|css|ya?ml|toml|log|xml|sql|sh|zip";
const paths = new RegExp(
  `(?<![\\w/.])(?:(?:\\.{1,2}|~)?/[\\w.-]+(?:/[\\w.-]*)*[\\w/]|(?:[\\w-]+/)*[\\w.-]+\\.(?:${extension}))(?![\\w/])`,
  "gu",
);
const ids = /(?<![\w-])(?:[A-Za-z]{1,10}[-_]?\d[\w-]*|#\d+)(?![\w-])/gu;
const formulas = /(?<![\w.])[(-]*\d[\d.]*(?:\s*[-+*/^%×÷]\s*[(-]*\d[\d.]*\)*)+/gu;
const zone = /\b[A-Z][A-Za-z]+\/[A-Z][A-Za-z_]+\b/gu;

/** Reads a text; dates that are told by today's, such as tomorrow, need to know it. */
export function factsOf(text: string, now: number): Facts {
  const quoted = [...text.matchAll(quotes)].map(([, ...inner]) => inner.find((each) => each !== undefined) ?? "");
  const mails = text.match(emails) ?? [];
  const links = text.match(urls) ?? [];
  const withoutLinks = masked(text, [...links, ...mails]);
  const files = withoutLinks.match(paths) ?? [];
  const dates = datesIn(withoutLinks, now);
  const zones = text.match(zone) ?? [];
  const plain = masked(withoutLinks.replaceAll(quotes, blank), [...files, ...zones]);
  const places = placesIn(plain);
  const times = timesIn(plain);
  const rest = masked(plain, [...dates.map(({ said }) => said), ...times.map(({ said }) => said)]);
  return {
    text,
    quoted,
    emails: mails,
    urls: links,
    paths: files,
    dates: dates.map(({ date }) => date),
    today: dayOf(now),
    times: times.map(({ time }) => time),
    numbers: numbersIn(rest),
    ids: (rest.match(ids) ?? []).map((id) => id.replace(/^#/u, "")),
    names: namesIn(rest),
    formulas: (rest.match(formulas) ?? []).map((formula) => formula.trim()),
    places: places.map(({ name }) => name),
    zones: [...zones, ...places.map((place) => place.zone)],
  };
}

/** What takes the place of something that was read, so that it is not read twice. */
const blank = (text: string): string => "\u{e000}".repeat(text.length);

const masked = (text: string, parts: readonly string[]): string =>
  parts.reduce((rest, part) => rest.replace(part, blank), text);

/** A capital letter at the beginning of a sentence says nothing, unless the word is none that a request begins with. */
function namesIn(text: string): readonly string[] {
  return [...text.matchAll(/(?<![\w'])\p{Lu}[\p{L}\d&]*(?: \p{Lu}[\p{L}\d&]*)*/gu)]
    .map(([name]) => name.split(" ").filter(isName).join(" "))
    .filter((name) => name !== "");
}

const months = /^(?:mon|tues|wednes|thurs|fri|satur|sun)day$|^(?:january|february|march|april|june|july|august)$/iu;

function isName(word: string): boolean {
  const lower = word.toLowerCase();
  if (isStopWord(lower) || months.test(lower) || openings.has(lower)) return false;
  return conceptOf(stemOf(lower)) === undefined || (word.length > 1 && word === word.toUpperCase());
}

/** What sentences begin with, beyond what the dictionary has. */
const openings: ReadonlySet<string> = new Set(
  (
    "thanks thank ok okay sure hey after before ask call invite contact notify move put take mark explain describe summarize " +
    "summarise first next finally maybe actually instead now go come try keep"
  ).split(" "),
);
