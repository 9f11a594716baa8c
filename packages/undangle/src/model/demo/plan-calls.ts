import type { ToolDescription } from "../model.ts";
import { topicsOf } from "./words.ts";

/** A part of a message and the tool that fits it. */
export interface PlannedCall {
  readonly tool: ToolDescription;
  readonly text: string;
  /** Calls of one stage are made at once; "then" begins the next. */
  readonly stage: number;
}

const separator =
  /[,;，；、。！？\n]+|[.!?](?=\s|$)|(?<=\s)(?:and|then|also)(?=\s)|然后|并且?|接着|以及|(?<=\p{Script=Han})再(?=\p{Script=Han})/giu;
/** Text in which nothing separates: quotations, and what follows a colon on its line. */
const unseparated = /"[^"\n]*"|“[^”\n]*”|`[^`\n]*`|(?<=\s)'[^'\n]*'|:\s[^\n]*|：[^\n]*/gu;

/** Splits a message and finds a tool for each part. A part without a matching tool belongs to the part before it. */
export function planCalls(message: string, tools: readonly ToolDescription[]): readonly PlannedCall[] {
  const masked = message.replaceAll(unseparated, (text) => "_".repeat(text.length));
  const ends = Array.from(masked.matchAll(separator), ({ 0: text, index }) => ({ text, index }));
  const plan: PlannedCall[] = [];
  let stage = 0;
  let at = 0;
  for (const end of [...ends, { text: "", index: message.length }]) {
    const text = message.slice(at, end.index).trim();
    const last = plan.at(-1);
    const tool = bestTool(text, tools, last?.tool);
    if (tool !== undefined) plan.push({ tool, text, stage });
    else if (last !== undefined) plan[plan.length - 1] = { ...last, text: `${last.text} ${text}`.trim() };
    if (/then|然后|接着|再/iu.test(end.text) && plan.length > 0) stage += 1;
    at = end.index + end.text.length;
  }
  return plan;
}

/** The tool that shares the most words with a text. Names count twice, identifiers in descriptions do not count. */
function bestTool(
  text: string,
  tools: readonly ToolDescription[],
  previous: ToolDescription | undefined,
): ToolDescription | undefined {
  const topics = topicsOf(text);
  const scores = tools.map((tool) => {
    const [name, about] = [topicsOf(tool.name), topicsOf((tool.description ?? "").replaceAll(/\w+_\w+/gu, ""))];
    let score = 0;
    for (const topic of topics) score += (name.has(topic) ? 2 : 0) + (about.has(topic) ? 1 : 0);
    return { tool, score: score === 0 || tool !== previous ? score : score + 0.5 };
  });
  const [best] = scores.filter(({ score }) => score >= 2).sort((one, other) => other.score - one.score);
  return best?.tool;
}
