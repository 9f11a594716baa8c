import { isVerb } from "../wishes/lexicon.ts";
import { conceptOf, conceptsOfChinese, isStopWord, stemOf } from "../wishes/words.ts";

/** What is left of a wish without its verb: "delete the old one" is about the old one. */
export function objectOf(text: string): string | undefined {
  const open = trimmed(
    text
      .replace(/\s+(?:in)?to (?:the file )?[\w./-]+\.[a-z]{1,5}\s*$/iu, "")
      .replace(/\s+(?:to|on|in|from|into) (?:my|the|our) [\w -]*\b(?:list|todos?|notes?|inbox|calendar)\W*$/iu, ""),
  );
  const words = open.split(/\s+/u);
  let first = 0;
  for (let verbs = 0; first < words.length; first++) {
    const bare = (words[first] ?? "").toLowerCase().replaceAll(/[^a-z']/gu, "");
    const concept = conceptOf(stemOf(bare));
    const isDeed = concept !== undefined && isVerb(concept);
    if (isDeed && verbs++ === 0) continue;
    if (isDeed || bare === "" || !isStopWord(bare) || tellingWords.has(bare)) break;
  }
  const latin = words.slice(first).join(" ");
  const object = /\p{Script=Han}/u.test(latin) ? withoutChineseVerbs(latin) : latin;
  return object === "" ? undefined : object;
}

/** Words that are passed over elsewhere, and say which one is meant. */
const tellingWords: ReadonlySet<string> = new Set(["new", "old", "newest", "latest", "hello", "hi"]);

/** A text without the punctuation and the quotation marks around it. */
export const trimmed = (text: string): string =>
  text
    .trim()
    .replace(/[\s.,;:!?。，；：！？]+$/u, "")
    .replace(/^(["“「'])(.*)["”」']$/u, "$2")
    .trim();

const fillers =
  /^(?:请问|请|麻烦|帮我|给我|替我|我想|我要|想要|一下|把|将|的|了|吧|呢|吗|啊|并|再|就|都|也|去|来|掉)+|(?:一下|吧|呢|吗|了|啊|掉)+$/gu;

function withoutChineseVerbs(text: string): string {
  let rest = text;
  for (;;) {
    const bare = rest.replaceAll(fillers, "").trim();
    const next = dropVerb(bare);
    if (next === rest) return next;
    rest = next;
  }
}

/** A verb of the dictionary at either end. */
function dropVerb(text: string): string {
  for (let length = Math.min(4, text.length); length > 0; length--) {
    const [head, tail] = [text.slice(0, length), text.slice(text.length - length)];
    if (isChineseVerb(head)) return text.slice(length);
    if (isChineseVerb(tail)) return text.slice(0, text.length - length);
  }
  return text;
}

function isChineseVerb(text: string): boolean {
  const concepts = conceptsOfChinese(text);
  return concepts.length > 0 && concepts.every(isVerb);
}
