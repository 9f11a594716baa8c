import type { Language } from "#core";

import type { Outcome } from "../ledger/call.ts";
import type { RunMode } from "../run/run-mode.ts";

/** The tool result for a missing or unknown tool name, with the available tools. */
export function unknownTool(name: string, available: readonly string[], language: Language): Outcome {
  const known = available.join(", ");
  const isNamed = name.trim() !== "";
  if (language === "zh") {
    const problem = isNamed ? `${name} 不是可用的工具` : "该调用没有给出工具名称";
    return errorOutcome(
      known === "" ? `${problem}，目前没有任何工具。` : `${problem}，请使用以下工具之一：[${known}]。`,
    );
  }
  const problem = isNamed ? `${name} is not a valid tool` : "The call does not say which tool it is for";
  return errorOutcome(known === "" ? `${problem}, and there are none.` : `${problem}, try one of [${known}].`);
}

/** The tool result for invalid arguments. */
export function invalidArguments(name: string, problems: readonly string[], language: Language): Outcome {
  const list = problems.map((problem) => `\n- ${problem}`).join("");
  return errorOutcome(
    language === "zh"
      ? `${name} 未被执行——参数不符合要求：${list}`
      : `${name} was not executed - its arguments do not fit:${list}`,
  );
}

/** The tool result for a call that differs from what was approved. */
export const changedCall = (name: string, language: Language): Outcome =>
  errorOutcome(
    language === "zh"
      ? `${name} 未被执行——它与已批准的调用不符。`
      : `${name} was not executed - it is not the call that was approved.`,
  );

/** The tool result for a call that a rule denies. */
export const deniedCall = (name: string, reason: string | undefined, language: Language): Outcome =>
  errorOutcome(
    language === "zh"
      ? `${name} 未被执行——规则不允许此调用${reason === undefined ? "。" : `：${reason}`}`
      : `${name} was not executed - a rule denies this call${reason === undefined ? "." : `: ${reason}`}`,
  );

/** The tool result for a call of a tool that the mode of the run does not offer. */
export function outsideMode(
  name: string,
  { mode, available }: { readonly mode: RunMode; readonly available: readonly string[] },
  language: Language,
): Outcome {
  const known = available.join(", ");
  if (language === "zh") {
    const why = `${name} 未被执行——当前模式（${mode}）只允许读取`;
    return errorOutcome(known === "" ? `${why}，目前没有可用的工具。` : `${why}，可用的工具：[${known}]。`);
  }
  const why = `${name} was not executed - the mode of this run (${mode}) only permits reading`;
  return errorOutcome(known === "" ? `${why}, and no tool is available.` : `${why}. Available tools: [${known}].`);
}

/** Why a call that a hook changed may not run. */
export type SubstitutionFault = "approved" | "arguments" | "tool";

/** The tool result for a call that a hook changed and that may not run. */
export const refusedSubstitute = (
  name: string,
  { fault, other }: { readonly fault: SubstitutionFault; readonly other: string },
  language: Language,
): Outcome => errorOutcome(substitutionTexts[language][fault](name, other));

const substitutionTexts: Readonly<
  Record<Language, Readonly<Record<SubstitutionFault, (name: string, other: string) => string>>>
> = {
  en: {
    approved: (name) => `${name} was not executed - a hook changed the call after it was approved.`,
    arguments: (name) =>
      `${name} was not executed - a hook changed its arguments, and with those it needs an approval that it does not have.`,
    tool: (name, other) =>
      `${name} was not executed - a hook handed the call on to ${other}, which needs an approval that the call does not have.`,
  },
  zh: {
    approved: (name) => `${name} 未被执行——调用获批之后被钩子更改。`,
    arguments: (name) => `${name} 未被执行——钩子更改了参数，更改后的调用需要批准，但没有获得批准。`,
    tool: (name, other) => `${name} 未被执行——钩子将调用转给了 ${other}，它需要批准，但没有获得批准。`,
  },
};

/** The tool result for a call that did not run because another call of its turn was truncated. */
export const cutOff = (name: string, language: Language): Outcome =>
  errorOutcome(
    language === "zh"
      ? `${name} 未被执行——它所在的回答被截断。`
      : `${name} was not executed - the response that contains it was cut off.`,
  );

/** A tool result that is an error with this text. */
const errorOutcome = (text: string): Outcome => ({
  type: "result",
  parts: [{ type: "text", text }],
  isError: true,
});
