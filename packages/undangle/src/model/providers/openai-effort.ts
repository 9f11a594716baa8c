import type { ReasoningEffort } from "../http-model-options.ts";
import { effortWord } from "./effort.ts";

/** The effort word for an OpenAI model; undefined for a model that does not reason. */
export function openaiEffort(id: string, reasoning: ReasoningEffort): string | undefined {
  const word = effortWord(reasoning);
  if (/^(?:openai\/)?gpt-5-pro/u.test(id)) return "high"; // its only value; later models accept nothing below medium
  if (/^(?:openai\/)?gpt-[\d.]+-pro/u.test(id)) return word === "high" ? word : "medium";
  if (word !== "none") return word;
  if (thoughtless.test(id)) return undefined; // it refuses the field
  if (/^(?:openai\/)?(?:o\d|codex-|gpt-5-codex)/u.test(id)) return "low";
  return /^(?:openai\/)?gpt-5(?![.\d])/u.test(id) ? "minimal" : word; // some models cannot disable reasoning
}

/** Reasoning models. All others refuse a request for encrypted reasoning. */
export const thinkers = /^(?:ft:|openai\/)?(?:o\d|gpt-(?:[5-9]|\d\d)(?!.*-chat)|codex-)/u;

/** Models without reasoning. */
const thoughtless = /gpt-(?:3|4)|gpt-[5-9].{0,80}-chat|chatgpt/u;
