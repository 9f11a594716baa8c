import type { RuleId } from "#core";

/** The maximum number of words between the names of a call and of its result. */
const reach = 18;

/** The names of a tool call and its result on various servers, of one or two words. */
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

/** The last name, and what the words after it express. */
interface Named {
  readonly side: Side;
  readonly end: number;
  readonly isRepeated: boolean;
  isApart: boolean;
  hasArguments: boolean;
}

/**
 * The rules for words that report, in no known wording, that a call and its result are separated, duplicated or
 * malformed. Examines the names of both and the words between them, in one pass.
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
      if (last !== undefined) for (const rule of rulesAfter(last, word)) found.add(rule);
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

/** Reads a word after a name. */
function rulesAfter(last: Named, word: string): readonly RuleId[] {
  last.isApart ||= relations.has(word);
  last.hasArguments ||= last.side === "call" && word === "arguments";
  if (word === "json" && last.hasArguments) return ["arguments-json"];
  if (word === "tool_call_id" && last.side === "result" && last.isApart) return ["missing-result-id"];
  return [];
}
