import type { Round, Settled } from "../situation.ts";
import { wordsOf } from "../wishes/words.ts";
import type { Phrases } from "./phrases.ts";
import { ended, folded, shownResult, shownTime } from "./shown-result.ts";

/** Whoever makes more calls than this at once does not want to hear of each. */
const mostTold = 20;

/** Tells what became of calls, one sentence each and nothing that is not so. Several are a list. */
export function reportOf(round: Round, words: Phrases): string {
  const first = round.slice(0, mostTold);
  const isTwice = (name: string): boolean => first.filter((each) => each.name === name).length > 1;
  const sentences = first.map((settled) =>
    sentenceOf(isTwice(settled.name) ? { ...settled, name: written(settled) } : settled, words),
  );
  if (round.length > first.length) sentences.push(words.untold(round.length - first.length));
  const told = sentences.length < 2 ? sentences.join("") : sentences.map((sentence) => `- ${sentence}`).join("\n");
  const refused = round.filter(({ outcome }) => outcome.type === "rejected");
  if (refused.length === 0) return told;
  const parameters = new Set(refused.flatMap(({ arguments: args }) => Object.keys(args)));
  const offer = words.alternative([...parameters].slice(0, 3));
  return told + (sentences.length < 2 ? words.space : "\n") + offer;
}

/** A call of several of the same tool, told apart by its first argument. */
function written({ name, arguments: args }: Settled): string {
  const first = Object.values(args).find((value) => typeof value === "string" || typeof value === "number");
  return first === undefined ? name : `${name}(${String(first).replaceAll("`", "").slice(0, 40)})`;
}

function sentenceOf({ name, outcome }: Settled, words: Phrases): string {
  switch (outcome.type) {
    case "succeeded":
      return successOf(name, outcome, words);
    case "rejected":
      return words.rejected(name, outcome.reason === undefined ? undefined : folded(outcome.reason, words, 120));
    case "notice":
      return words.notices[outcome.cause](name);
    case "failed":
      return ended(words.failed(name, shownResult(outcome.text, words)), words);
  }
}

function successOf(
  name: string,
  { text, media }: Extract<Settled["outcome"], { type: "succeeded" }>,
  words: Phrases,
): string {
  const time = wordsOf(name).concepts.has("time") ? shownTime(text, words) : undefined;
  if (time !== undefined) return ended(words.time(time), words);
  const said = text === "" ? [] : [ended(words.succeeded(name, shownResult(text, words)), words)];
  const shown = media === 0 ? [] : [words.mediaResult(name, media)];
  return [...said, ...shown].join(words.space) || words.emptyResult(name);
}
