import { isText, listOf, readInput, recordOf, type Loose } from "../../../src/testing/judge/loose.ts";
import type { Verdict } from "../../../src/testing/judge/verdict.ts";

/**
 * Every call has a tool and a result among those right behind its message, and nobody else has a result. Ollama's server
 * does not look, but the model does: what `check` and `repair` promise holds here too.
 */
export function judgeOllamaPairs(input: unknown): Verdict[] {
  const messages = readInput(input).messages.map(recordOf);
  const verdicts = messages.flatMap((message, index) => judgeNames(message, `messages[${index}]`));
  let calls: readonly Loose[] = [];
  let results: Loose[] = [];
  const close = (index: number): void => {
    if (results.length !== calls.length) {
      verdicts.push({
        id: "pairing",
        path: `messages[${index}]`,
        text: `${calls.length} calls, ${results.length} results`,
      });
    }
    const ids = calls.map(({ id }) => id).filter(isText);
    const answered = results.map((result) => result["tool_call_id"]).filter(isText);
    const isForeign = ids.length === calls.length && answered.some((id) => !ids.includes(id));
    const isTwice = [ids, answered].some((list) => new Set(list).size < list.length && ids.length > 0);
    if (isForeign || isTwice) verdicts.push({ id: "pairing", path: `messages[${index}]`, text: "ids do not agree" });
    calls = [];
    results = [];
  };
  for (const [index, message] of messages.entries()) {
    if (message["role"] === "tool") {
      results.push(message);
      continue;
    }
    close(index);
    calls = message["role"] === "assistant" ? listOf(message["tool_calls"]).map(recordOf) : [];
  }
  close(messages.length);
  return verdicts;
}

function judgeNames(message: Loose, path: string): Verdict[] {
  const names = listOf(message["tool_calls"]).map((call) => recordOf(recordOf(call)["function"])["name"]);
  return names.every(isText) ? [] : [{ id: "name", path, text: "a call of no tool" }];
}
