import type { RuleId } from "#core";

/** How many words may stand between the names of a call and of its result. */
const reach = 18;

/** What servers call a tool call and its result: one word, or two. */
const names: Readonly<Record<string, Side>> = {
  ...namesOf("call", ["tool call", "tool calls", "tool_call", "tool_calls", "tool_use", "tooluse", "toolcall"]),
  ...namesOf("call", ["function call", "function calls", "function_call", "functioncall"]),
  ...namesOf("result", ["tool result", "tool results", "tool_result", "tool_results", "toolresult", "toolmessage"]),
  ...namesOf("result", ["tool response", "tool responses", "tool output", "tool outputs", "tool message"]),
  ...namesOf("result", ["tool messages", "function response", "function responses", "function_response"]),
  ...namesOf("result", ["function_call_output", "functionresponse"]),
};

type Side = "call" | "result";

function namesOf(side: Side, all: readonly string[]): Readonly<Record<string, Side>> {
  return Object.fromEntries(all.map((name) => [name, side]));
}

const relations: ReadonlySet<string> = new Set(["without", "no", "missing", "must", "lacks", "unmatched"]);
const repetitions: ReadonlySet<string> = new Set(["multiple", "duplicate", "two", "several"]);

/** The name that was read last, and what was said after it. */
interface Named {
  readonly side: Side;
  readonly end: number;
  readonly isRepeated: boolean;
  isApart: boolean;
  hasArguments: boolean;
}

/**
 * The rules that words can mean which say, in no known wording, that a call and its result are apart, doubled or not well
 * formed: a look at the names of both and at the words between them. Takes one pass.
 */
export function rulesOfPairs(words: readonly string[]): readonly RuleId[] {
  const found = new Set<RuleId>();
  let last: Named | undefined;
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? "";
    if (last !== undefined && at - last.end > reach) last = undefined;
    const two = names[`${word} ${words[at + 1] ?? ""}`];
    const side = two ?? (Object.hasOwn(names, word) ? names[word] : undefined);
    if (side === undefined) {
      if (last !== undefined) for (const rule of saidOf(last, word)) found.add(rule);
      continue;
    }
    if (last !== undefined && last.side !== side) {
      if (last.isApart) found.add(side === "result" ? "unanswered-call" : "orphan-result").add("displaced-result");
      else if (last.isRepeated) found.add(side === "call" ? "duplicate-result" : "duplicate-call-id");
    }
    if (two !== undefined) at++;
    const isRepeated = repetitions.has(words[two === undefined ? at - 1 : at - 2] ?? "");
    last = { side, end: at, isRepeated, isApart: false, hasArguments: false };
  }
  return [...found];
}

/** Reads one more word after a name. */
function saidOf(last: Named, word: string): readonly RuleId[] {
  last.isApart ||= relations.has(word);
  last.hasArguments ||= last.side === "call" && word === "arguments";
  if (word === "json" && last.hasArguments) return ["arguments-json"];
  if (word === "tool_call_id" && last.side === "result" && last.isApart) return ["missing-result-id"];
  return [];
}
