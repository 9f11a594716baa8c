import type { ReasoningEffort } from "../http-model-options.ts";
import { effortWord } from "./effort.ts";

/** The word for how much a model of OpenAI is to think; undefined where one that does not think is to do so. */
export function openaiEffort(id: string, reasoning: ReasoningEffort): string | undefined {
  const word = effortWord(reasoning);
  if (/^(?:openai\/)?gpt-5-pro/u.test(id)) return "high"; // it knows nothing else, and later ones nothing below medium
  if (/^(?:openai\/)?gpt-[\d.]+-pro/u.test(id)) return word === "high" ? word : "medium";
  if (word !== "none") return word;
  if (thoughtless.test(id)) return undefined; // it would refuse to be told
  if (/^(?:openai\/)?(?:o\d|codex-|gpt-5-codex)/u.test(id)) return "low";
  return /^(?:openai\/)?gpt-5(?![.\d])/u.test(id) ? "minimal" : word; // not all of them can do without a thought
}

/** The models that think. All others refuse a request that asks for encrypted thoughts. */
export const thinkers = /^(?:ft:|openai\/)?(?:o\d|gpt-(?:[5-9]|\d\d)(?!.*-chat)|codex-)/u;

/** The models that are known not to think. */
const thoughtless = /gpt-(?:3|4)|gpt-[5-9].{0,80}-chat|chatgpt/u;
