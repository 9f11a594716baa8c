import { currenciesIn } from "../facts/currencies.ts";
import type { Facts } from "../facts/facts.ts";
import { wordedFormulasIn } from "../wishes/arithmetic.ts";
import { conceptOf, isStopWord, stemOf } from "../wishes/words.ts";
import { roleOf } from "./parameter.ts";
import type { Parameter, Role } from "./parameter.ts";
import { trimmed } from "./wish-object.ts";

/** Texts that somebody said for an argument: by its label, by its kind, or behind a word that leads to it. The best is first. */
export function saidTexts(facts: Facts, parameter: Parameter, isLetter = false): readonly string[] {
  return [
    ...marked(facts, parameter),
    ...attached(facts, parameter),
    ...journeyed(facts, parameter),
    ...ofKind(facts, parameter),
    ...typed(facts, parameter),
    ...named(facts, parameter),
    ...led(facts, parameter, isLetter),
  ]
    .map((text) => (parameter.aspect === "id" ? firstWord(trimmed(text)) : trimmed(quotedAtEnd(untilNext(text)))))
    .filter((text) => text !== "");
}

const next =
  /(?<=\S)\s+(?:saying|that says|with the (?:subject|title|body|text|message|content|words)|and (?:the )?(?:subject|title|body|text|message|content)\b)(?=\s|:).*$/isu;

/** What is said goes on with the next thing; a quotation is whole. */
const untilNext = (text: string): string => (/^\s*["“「']/u.test(text) ? text : text.replace(next, ""));

/** What is quoted is what is meant: 改成“你好”. */
const quotedAtEnd = (text: string): string =>
  /(?:改成|改为|写上|写入|说)\s*[“"「]([^“”"「」]+)[”"」]\s*$/u.exec(text)?.[1] ?? text;

const colon = "(?:\\s*[:：=]\\s*|\\s+(?:is|as)\\s+|\\s*(?:是|为|叫)\\s*)";
const value = "(\"[^\"]+\"|“[^“”]+”|「[^「」]+」|'[^']+'|[^,;，。；\\n]+)";

/** `subject: Hello`. */
const marked = ({ text }: Facts, { labels }: Parameter): readonly string[] =>
  labels.flatMap((label) => {
    const found = new RegExp(`(?<![\\w])${escapedPattern(label)}${colon}${value}`, "iu").exec(text)?.[1];
    return found === undefined ? [] : [found];
  });

/** In Chinese nothing need stand between a label and a name: 乘客王五. */
const attached = ({ text }: Facts, { labels, aspect }: Parameter): readonly string[] =>
  aspect !== "person" && aspect !== "other"
    ? []
    : labels.flatMap((label) => {
        if (!/^\p{Script=Han}{2,}$/u.test(label)) return [];
        const found = new RegExp(`${label}((?![是为叫的])\\p{Script=Han}{2,4})(?=[，。,;；\\s]|$)`, "u").exec(
          text,
        )?.[1];
        return found === undefined ? [] : [found];
      });

/** What has a look of its own, by the name of its argument. */
const looks: readonly (readonly [stem: string, look: RegExp])[] = [
  ["repo", /(?<![\w/.:])[\w-]+\/[\w.-]*\w(?![\w/])/gu],
  ["repository", /(?<![\w/.:])[\w-]+\/[\w.-]*\w(?![\w/])/gu],
  ["sql", /\b(?:select|insert into|update|delete from|create table|with)\s.+$/gisu],
  ["channel", /(?<!\S)#[\w-]+/gu],
];

const ofKind = ({ text }: Facts, { stems }: Parameter): readonly string[] =>
  looks.flatMap(([stem, look]) => (stems.has(stemOf(stem)) ? (text.match(look) ?? []) : []));

/** What can be told from everything else by its looks. */
function typed(facts: Facts, { aspect, schema }: Parameter): readonly string[] {
  switch (aspect) {
    case "currency":
      return currenciesIn(facts.text).map(({ code }) => code);
    case "formula":
      return [...facts.formulas, ...wordedFormulasIn(facts.text)];
    case "email":
    case "person": // whose address is written down is meant by it
      return facts.emails;
    case "url":
      return facts.urls;
    case "path":
      return facts.paths;
    case "zone":
      return facts.zones;
    case "time":
      return [...facts.times, ...facts.times.map((time) => `${time}:00`)];
    case "date":
      return schema["format"] === "date-time" ? momentsOf(facts) : facts.dates;
    case "place":
      return [...placesLed(facts), ...facts.places];
    default:
      return []; // any word may be one: it has to be led to
  }
}

/** A time without a day is today's, and a day without a time begins at noon. */
function momentsOf({ dates, times, today }: Facts): readonly string[] {
  const days = dates.length === 0 && times.length > 0 ? [today] : dates;
  return days.map((date) => `${date}T${times[0] ?? "12:00"}:00Z`);
}

/** `subject Hello`, where nothing else can be meant. */
function named({ text }: Facts, { labels, aspect }: Parameter): readonly string[] {
  if (!["subject", "text", "query", "other", "id"].includes(aspect)) return [];
  return labels.flatMap((label) => {
    const found = new RegExp(`(?<![\\w])${escapedPattern(label)}\\s+${value}`, "iu").exec(text)?.[1];
    const bare = isStopWord(label) ? found?.replace(/^(?:an?|the|my)\s+/iu, "") : found; // "a picture of a cat"
    const [first = ""] = bare?.split(/\s/u) ?? [];
    return bare === undefined || (isStopWord(first.toLowerCase()) && !/^(?:hi|hello)\b/iu.test(first)) ? [] : [bare];
  });
}

const journeys: Readonly<Record<Role, readonly RegExp[]>> = {
  from: [
    /\bfrom\s+(\p{Lu}[\p{L}-]*(?: \p{Lu}[\p{L}-]*)*)/gu,
    /从\s*(\p{Script=Han}{2,8}?)\s*(?=到|去|飞|出发|寄|，|。|$)/gu,
  ],
  to: [
    /\bto\s+(\p{Lu}[\p{L}-]*(?: \p{Lu}[\p{L}-]*)*)/gu,
    /(?<=从\s*\p{Script=Han}{2,8}?)(?:飞往|前往|飞到|到|去|飞)\s*(\p{Script=Han}{2,8}?)\s*(?=的|航班|机票|火车|高铁|路线|怎么|多|，|。|,|\?|？|$)/gu,
  ],
};

/** Of a way with two ends each has words of its own before it. */
function journeyed({ text }: Facts, { name: parameter, aspect }: Parameter): readonly string[] {
  const role = roleOf(parameter);
  if (role === undefined || (aspect !== "place" && aspect !== "person")) return [];
  return journeys[role].flatMap((pattern) => [...text.matchAll(pattern)].map(([, place = ""]) => place));
}

const name = '("[^"]+"|“[^“”]+”|[\\w.+-]+@[\\w.-]+|(?:the |my |our )?[\\p{L}\\d#&-]+(?: \\p{Lu}[\\p{L}\\d&-]*)*)';

const afterColon = /(?<=\p{L}\s*)[:：]\s*(?!\/\/)(.+?)(?=,\s|，|$)/gu;

const leads: Readonly<Record<string, readonly RegExp[]>> = {
  person: [
    new RegExp(`\\b(?:to|for)\\s+${name}`, "gu"),
    /(?:转给|发给|寄给|付给|交给|给|向)\s*([^\s，。,、\d"“]{1,12}?)\s*(?=转|发|寄|付|汇|打|支|写|送|留|\d|，|。|,|$)/gu,
  ],
  from: [new RegExp(`\\bfrom\\s+${name}`, "gu"), /从\s*([^\s，。,、\d]{1,12}?)\s*(?=转|发|寄|出|到|飞|，|。|$)/gu],
  subject: [
    /\b(?:about|regarding)\s+(.+?)(?=\s+(?:to|saying)\b|[,;.]|$)/giu,
    /\b(?:titled|called|named|entitled)\s+(.+?)(?=\s+(?:to|saying|with|at|on|for|from|in|by|tomorrow|today|next|every)\b|[,;.]|$)/giu,
    /关于\s*(.+?)的?(?=邮件|消息|[，。]|$)/gu,
  ],
  query: [
    afterColon,
    /\b(?:for|about|up|on)\s+(.+?)(?=[,;]\s|$)/giu,
    /(?:搜索|查找|查询|检索|搜一下|查一下|搜|找|查)(?:一下|关于)?\s*(.+?)(?:的(?:信息|资料|内容|消息))?$/gu,
  ],
  text: [
    afterColon,
    /\btranslate\s+(.+?)\s+(?:in)?to\s+\p{L}+/giu,
    /(?:把|将)\s*(.+?)\s*(?:翻译|译)[成为到]/gu,
    /\b(?:saying|says?|that reads|remember that|remember to|remind me to|tell (?:him|her|them)(?: that)?|note that|with the (?:text|message|words))[:\s]+(.+)$/giu,
    /(?:内容(?:是|为)?|写道|记住|记下|提醒我|告诉(?:他|她|他们)?|说)[：:，,]?\s*(.+)$/gu,
  ],
};

/** What stands behind a word that leads to it: "to ACME". */
function led({ text, names }: Facts, { aspect, stems }: Parameter, isLetter: boolean): readonly string[] {
  const isTitle = aspect === "subject" && !isLetter;
  const isFrom = stems.has("from") || stems.has("sender") || stems.has("sourc");
  const patterns = [...(leads[isFrom ? "from" : aspect] ?? []), ...(isTitle ? (leads["text"] ?? []) : [])];
  const found = patterns.flatMap((pattern) =>
    [...text.matchAll(pattern)].map(([, inner = ""]) => inner.replace(/^(?:the|my|our) /u, "")),
  );
  const isPerson = aspect === "person" && !isFrom;
  return [...found.filter((each) => !isPerson || mayBeName(each)), ...(isPerson ? names : [])];
}

/** "I want to pay" leads to nobody. */
function mayBeName(text: string): boolean {
  const [first = ""] = text.toLowerCase().split(" ");
  if (/\p{Script=Han}/u.test(text)) return !/^(?:我|他|她|它|你)$/u.test(text);
  return /@/u.test(text) || (conceptOf(stemOf(first)) === undefined && !isStopWord(first) && !/^\d/u.test(text));
}

function placesLed({ text, names }: Facts): readonly string[] {
  const latin = [...text.matchAll(/\b(?:in|at|near|for)\s+(\p{Lu}[\p{L}-]*(?: \p{Lu}[\p{L}-]*)*)/gu)].map(
    ([, place = ""]) => place,
  );
  const chinese = [
    ...text.matchAll(/(\p{Script=Han}{2,8}?)(?:市)?(?:的|今天|明天|现在|这周|后天)*(?:天气|气温|温度)/gu),
  ].map(([, place = ""]) =>
    place.replace(/^(?:请问|请|帮我|查询|查一下|查|看看|看一下|看|今天|明天|后天|现在|一下|告诉我)+/u, ""),
  );
  return [...latin, ...chinese.filter((place) => place.length > 1), ...names];
}

/** Ids have no spaces, and end where Chinese goes on. */
const firstWord = (text: string): string => text.split(/\s|的/u)[0] ?? "";

export const escapedPattern = (text: string): string =>
  text.replaceAll(/[$()*+.?[\\\]^{|}]/gu, String.raw`\$&`).replaceAll(" ", "[ _-]?");
