import type { ToolDescription } from "../../model.ts";
import type { Situation } from "../situation.ts";
import type { Phrases } from "./phrases.ts";
import { folded } from "./shown-result.ts";

const greeting =
  /^(?:hi|hello|hey|good (?:morning|evening|afternoon)|你好|您好|嗨|哈喽|早上好|晚上好|在吗)(?:[\s,，]*(?:there|all|呀|啊|吗))?[\s!.。！~？?]*$/iu;
const thanks =
  /^(?:many )?(?:thanks?|thank you|thx|cheers|great|nice|perfect|谢谢|多谢|感谢|太好了|不错)(?:[\s,，]*(?:you|a lot|very much|so much|你|您|啦|了))*[\s!.。！]*$/iu;
const goodbye = /^(?:bye|goodbye|good night|see you|再见|拜拜|晚安)[\s!.。！]*$/iu;
const dismissal =
  /^(?:never mind|forget (?:it|about it)|cancel(?: it| that)?|stop(?: it)?|leave it|no(?: thanks?| thank you)?|算了|不用了|取消(?:吧)?|不要了|不必了|别弄了|停)[\s!.。！]*$/iu;
const ability =
  /\bwhat (?:can|could) you do\b|\bhelp\b\W*$|\b(?:what|which) tools\b|\bhow do(?:es)? (?:you|this|it) work\b|你(?:能|会|可以)(?:做|干|帮).{0,4}(?:什么|啥)|有(?:什么|哪些)(?:功能|工具)|怎么用|帮助$/iu;
const identity =
  /\bwho are you\b|\bwhat are you\b|\bare you (?:a |an )?(?:real|human|ai|bot|model|robot)\b|\bwhat model\b|你是谁|你是什么|你叫什么|什么模型/iu;

const mostTools = 12;
const gistLength = 80;

/** What is said where there is nothing to call. */
export function talk(situation: Situation, tools: readonly ToolDescription[], words: Phrases): string {
  const { said, media, who, length } = situation;
  const offer = tools.length === 0 ? words.noTools : toolList(tools, words);
  const self = words.whoIAm(who);
  if (said === "" && media === 0) return sentences(words, words.hello, self, offer);
  if (said === "") return sentences(words, words.media(media), offer);
  if (greeting.test(said)) return sentences(words, words.hello, self, offer);
  if (thanks.test(said)) return words.welcome;
  if (goodbye.test(said)) return words.goodbye;
  if (dismissal.test(said)) return words.dismissed;
  if (ability.test(said)) return sentences(words, self, tools.length === 0 ? "" : words.howToAsk, offer);
  if (identity.test(said)) return sentences(words, self, tools.length === 0 ? words.noTools : "");
  const gist = folded(said.replaceAll(/\s+/gu, " "), words, gistLength, length);
  const seen = media === 0 ? "" : words.media(media);
  return sentences(words, seen, tools.length === 0 ? words.youSaid(gist) : words.noToolFits(gist), self, offer);
}

/** True for what is said to be polite: no tool is meant by it. */
export const isSmallTalk = (text: string): boolean =>
  [greeting, thanks, goodbye, dismissal, ability, identity].some((pattern) => pattern.test(text));

function toolList(tools: readonly ToolDescription[], words: Phrases): string {
  const lines = tools
    .slice(0, mostTools)
    .map(({ name, description = "" }) => words.tool(name, firstSentence(description)));
  return words.tools(lines, Math.max(0, tools.length - mostTools));
}

const firstSentence = (text: string): string =>
  /^[^\n]*?(?:[.。](?=\s|$|\p{Script=Han})|$)/mu.exec(text.trim())?.[0].slice(0, 160) ?? "";

const sentences = ({ space }: Phrases, ...given: readonly string[]): string =>
  given.filter((text) => text !== "").join(space);
