import type { ModelSampling } from "../model.ts";
import { tokensIn } from "./estimate-usage.ts";
import type { Reply } from "./reply.ts";

/** A reply as far as the request lets it go. */
export interface CutReply extends Reply {
  /** Arguments of calls as they are written; the last of them may be truncated. */
  readonly written: readonly string[];
  readonly finish: "stop" | "tool_calls" | "length";
}

/** Ends a reply where its text has a stop sequence, and where its tokens are used up: in the middle of arguments, too. */
export function cutReply({ text, calls }: Reply, { stop = [], maxTokens = Infinity }: ModelSampling = {}): CutReply {
  const stops = stop.flatMap((each) => (each === "" || !text.includes(each) ? [] : [text.indexOf(each)]));
  const isStopped = stops.length > 0;
  const whole = { text: isStopped ? text.slice(0, Math.min(...stops)) : text, calls: isStopped ? [] : calls };
  const said = firstTokens(whole.text, maxTokens);
  let left = maxTokens - tokensIn(said);
  let isCut = said !== whole.text;
  const written: string[] = [];
  const begun = whole.calls.filter(({ name, arguments: args }) => {
    left -= tokensIn(name);
    isCut ||= left <= 0;
    if (isCut) return false;
    const wanted = JSON.stringify(args);
    const given = firstTokens(wanted, left);
    left -= tokensIn(given);
    isCut = given !== wanted;
    written.push(given);
    return true;
  });
  const finish = isCut ? "length" : begun.length > 0 ? "tool_calls" : "stop";
  return { text: said, calls: begun, written, finish };
}

/** The longest beginning of a text that has so many tokens; no character is cut in two. */
function firstTokens(text: string, most: number): string {
  if (tokensIn(text) <= most) return text;
  let end = 0;
  let quarters = 0; // of tokens
  for (const character of text) {
    quarters += /\p{Script=Han}/u.test(character) ? 4 : character.length;
    if (Math.ceil(quarters / 4) > most) break;
    end += character.length;
  }
  return text.slice(0, end);
}
