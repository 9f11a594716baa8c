import { isObjectText } from "#core";

import type { RequestFacts } from "./response-writer.ts";

/**
 * True for arguments that LangChain reads as others: in the place of a number they have one that is not all there, `-`, `1.` or
 * `2e`. Its parser is made for arguments that are not all there, but strict in all else: what it refuses it tells.
 */
export function hasHalfNumbers(text: string): boolean {
  let isFound = false;
  const whole = text.replaceAll(tokens, (token) => {
    if (token.startsWith('"')) return isText(token) ? '""' : token;
    const isHalf = !number.test(token) && (token === "-" || !Number.isNaN(Number.parseFloat(token)));
    isFound ||= isHalf;
    return isHalf ? " 0 " : token; // separate from the text beside it
  });
  return isFound && isObjectText(whole);
}

/** Texts, also one that is not closed, and what may be meant as a number. */
const tokens = /"[^"\\]*(?:\\[^]?[^"\\]*)*"?|(?=[-\d])-?(?:0(?!\d)|[1-9]\d*)?(?:\.\d*)?(?:[eE][+-]?\d*)?/gu;
const number = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/u;

/** True for a text that is closed and has no escapes but those of JSON. */
function isText(token: string): boolean {
  const bare = token.replaceAll(/\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/gu, "");
  return bare.length > 1 && bare.endsWith('"') && !bare.includes("\\");
}

/** True for LangChain over OpenAI's SDK, which says so whatever a program calls itself. */
export const isLangChain = (asked: RequestFacts | undefined): boolean =>
  /\blangchainjs(?:-azure)?-openai\//u.test(asked?.agent ?? "");
