import { lexicon } from "./lexicon.ts";
import type { ConceptName } from "./lexicon.ts";

/** What a text speaks of, as far as a small dictionary goes. */
export interface Words {
  readonly concepts: ReadonlySet<ConceptName>;
  /** Stems of words of Latin letters that no concept has. */
  readonly stems: ReadonlySet<string>;
  /** Stems of those that one has. */
  readonly known: ReadonlySet<string>;
  /** Pairs of Chinese characters that stand side by side, of those that no concept has. */
  readonly pairs: ReadonlySet<string>;
}

/** The words of a text; names of tools and parameters are taken apart first. */
export function wordsOf(text: string): Words {
  const concepts = new Set<ConceptName>();
  const stems = new Set<string>();
  const known = new Set<string>();
  for (const word of latinWords(text)) {
    const stem = stemOf(word);
    const concept = conceptOf(stem);
    if (concept !== undefined) {
      concepts.add(concept);
      known.add(stem);
    } else if (!isStopWord(word) && stem.length > 1) stems.add(stem);
  }
  const pairs = new Set<string>();
  for (const run of text.match(/\p{Script=Han}+/gu) ?? []) readChinese(run, concepts, pairs);
  return { concepts, stems, known, pairs };
}

/** The words of Latin letters in a text, in lower case. */
export function latinWords(text: string): readonly string[] {
  const apart = text.replaceAll(/(?<=[a-z\d])(?=[A-Z])/gu, " ").replaceAll(/[_.\-/]+/gu, " ");
  return (apart.toLowerCase().match(/[a-z][a-z']*/gu) ?? []).flatMap(glued);
}

/** The concept that a stem belongs to. */
export const conceptOf = (stem: string): ConceptName | undefined => englishConcepts.get(stem);

/** The concepts of a Chinese word that is in the dictionary as it stands. */
export const conceptsOfChinese = (word: string): readonly ConceptName[] => chineseConcepts.get(word) ?? [];

/** A word without its ending: enough to see that "transfers" is "transfer". */
export function stemOf(word: string): string {
  const bare = word.replace(/'s?$/u, "").replaceAll("'", "");
  if (bare.length < 4) return bare;
  const singular = bare.replace(/ies$/u, "y").replace(/(?<=[sxz]|ch|sh)es$|(?<=[^su])s$/u, "");
  const plain = singular.length > 5 ? singular.replace(/(?:ing|ed)$/u, "") : singular;
  return plain.length > 3 ? plain.replace(/e$/u, "") : plain;
}

export const isStopWord = (word: string): boolean => stopWords.has(word);

const stopWords: ReadonlySet<string> = new Set(
  (
    "a an the of to in on at is are was be am my me i you your it its this that these those please can could would will shall " +
    "should may might what which who whom how why when where do does did for with from and or but not no yes so if then than " +
    "into out up down over by as about just also too very some any all each every one ones s t d ll re ve m us we our he she " +
    "they them his her their there here want need like let lets have has had got i'd i'm i'll don't use using used call " +
    "tool tools function given returns return value values data current new old newest latest something anything thing hello hi"
  ).split(" "),
);

const verbs = /^(get|list|fetch|find|send|read|check|show|make|create|delete|set|search|add)([a-z]{3,})$/u;

/** `gettime` is two words. */
function glued(word: string): readonly string[] {
  const [, verb, rest] = verbs.exec(word) ?? [];
  if (verb === undefined || rest === undefined) return [word];
  return englishConcepts.has(stemOf(rest)) ? [verb, rest] : [word];
}

const names = Object.keys(lexicon) as readonly ConceptName[]; // its own keys

const englishConcepts: ReadonlyMap<string, ConceptName> = new Map(
  names.flatMap((name) => lexicon[name].english.split(" ").map((word) => [stemOf(word), name] as const)),
);

const chineseConcepts: ReadonlyMap<string, readonly ConceptName[]> = names.reduce((known, name) => {
  for (const word of lexicon[name].chinese.split(" ")) known.set(word, [...(known.get(word) ?? []), name]);
  return known;
}, new Map<string, readonly ConceptName[]>());

const longest = Math.max(...[...chineseConcepts.keys()].map(({ length }) => length));

/** The longest word of the dictionary at each place counts, so that what is sent is not seen in an invoice. */
function readChinese(run: string, concepts: Set<ConceptName>, pairs: Set<string>): void {
  let rest = "";
  const close = (): void => {
    for (let at = 0; at + 1 < rest.length; at++) {
      const pair = rest.slice(at, at + 2);
      if (!commonPairs.has(pair)) pairs.add(pair);
    }
    rest = "";
  };
  for (let at = 0; at < run.length;) {
    const word = wordAt(run, at);
    if (word === undefined) {
      rest += run[at++];
    } else {
      for (const name of chineseConcepts.get(word) ?? []) concepts.add(name);
      at += word.length;
      close();
    }
  }
  close();
}

function wordAt(run: string, at: number): string | undefined {
  for (let length = Math.min(longest, run.length - at); length > 0; length--) {
    const word = run.slice(at, at + length);
    if (chineseConcepts.has(word)) return word;
  }
  return undefined;
}

/** Pairs that say nothing about what a tool is for. */
const commonPairs: ReadonlySet<string> = new Set(
  (
    "一个 一下 可以 请问 请帮 帮我 我的 你的 他的 她的 这个 那个 什么 怎么 如何 是否 没有 有没 进行 指定 给定 当前 使用 返回 " +
    "获取 提供 工具 我们 你们 他们 信息 数据 内容 结果 需要 想要 我想 能否 能不 不能 是多 多少 给我 我要 吗我 一些 所有 全部 " +
    "参数 用于 用来 根据 或者 以及 并且 然后 现在 请你 你能 麻烦 谢谢 好的 可选 必填 默认 名称 名字"
  ).split(" "),
);
