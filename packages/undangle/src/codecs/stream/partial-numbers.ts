import { isObjectText } from "#core";

import type { RequestFacts } from "./response-writer.ts";

/**
 * True for arguments that LangChain reads differently, because a number in them is incomplete: `-`, `1.` or `2e`.
 * LangChain's parser accepts truncated arguments, but is strict otherwise and reports what it rejects.
 */
export function hasHalfNumbers(text: string): boolean {
  let isFound = false;
  const whole = text.replaceAll(tokens, (token) => {
    if (token.startsWith('"')) return isText(token) ? '""' : token;
    const isHalf = !number.test(token) && (token === "-" || !Number.isNaN(Number.parseFloat(token)));
    isFound ||= isHalf;
    return isHalf ? " 0 " : token; // separated from adjacent text
  });
  return isFound && isObjectText(whole);
}

/** Strings, including an unclosed one, and candidates for numbers. */
const tokens = /"[^"\\]*(?:\\[^]?[^"\\]*)*"?|(?=[-\d])-?(?:0(?!\d)|[1-9]\d*)?(?:\.\d*)?(?:[eE][+-]?\d*)?/gu;
const number = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/u;

/** True for a closed string with only valid JSON escapes. */
function isText(token: string): boolean {
  const bare = token.replaceAll(/\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/gu, "");
  return bare.length > 1 && bare.endsWith('"') && !bare.includes("\\");
}

/** True for LangChain on OpenAI's SDK, which adds its name to every user agent. */
export const isLangChain = (facts: RequestFacts | undefined): boolean =>
  /\blangchainjs(?:-azure)?-openai\//u.test(facts?.agent ?? "");
