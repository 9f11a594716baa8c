import { isRecord, isText, listOf, recordOf, type Loose } from "../../../src/testing/judge/loose.ts";
import type { Verdict } from "../../../src/testing/judge/verdict.ts";
import { judgeInput } from "./input.ts";

/** What `convertToModelMessages` makes something refused of, or silently leaves out. */
export function judgeUiMessages(messages: readonly unknown[]): Verdict[] {
  return messages.flatMap((raw, index) => {
    const { role, parts } = recordOf(raw);
    if (role !== "assistant") return [];
    const isLast = messages.slice(index + 1).every((later) => recordOf(later)["role"] === "system");
    const steps = stepsOf(listOf(parts), index);
    return steps.flatMap((step, at) => judgeStep(step, isLast && at === steps.length - 1));
  });
}

interface Tool {
  readonly part: Loose;
  readonly path: string;
}

/** The tool parts by step, without those that the provider runs; a step without any counts too. */
function stepsOf(parts: readonly unknown[], index: number): Tool[][] {
  const steps: Tool[][] = [];
  let isOpen = false;
  for (const [at, raw] of parts.entries()) {
    const part = recordOf(raw);
    const type = isText(part["type"]) ? part["type"] : "";
    if (type === "step-start" || type === "steering-message") {
      isOpen = false;
      if (type === "steering-message") steps.push([]);
      continue;
    }
    if (/^(?:source-|data-)/u.test(type) || type === "") continue;
    if (!isOpen) steps.push([]);
    isOpen = true;
    const isTool = type === "dynamic-tool" || type.startsWith("tool-");
    if (isTool && part["providerExecuted"] !== true)
      steps.at(-1)?.push({ part, path: `messages[${index}].parts[${at}]` });
  }
  return steps;
}

function judgeStep(step: readonly Tool[], isLast: boolean): Verdict[] {
  const seen = new Set<unknown>();
  return step.flatMap(({ part, path }) => {
    const verdicts: Verdict[] = [];
    const id = part["toolCallId"];
    if (!isText(id)) verdicts.push({ id: "OAC-ID-MISSING", path, text: "toolCallId is missing" });
    else if (seen.has(id)) verdicts.push({ id: "OAC-DUP-CALL-ID", path, text: `${id} stands twice in a step` });
    seen.add(id);
    const name = part["type"] === "dynamic-tool" ? part["toolName"] : String(part["type"]).slice("tool-".length);
    if (!isText(name)) verdicts.push({ id: "OAC-NAME-MISSING", path, text: "the tool has no name" });
    const { state } = part;
    const isDone = state === "output-available" || state === "output-error" || state === "output-denied";
    const isDecided = isLast && state === "approval-responded" && isRecord(part["approval"]);
    // A part at the end may wait for a person, or for a tool that the page runs.
    const isWaiting = isLast && (state === "input-available" || state === "approval-requested");
    if (!isDone && !isDecided && !isWaiting) {
      verdicts.push({ id: "OAC-UNANSWERED", path, text: `Tool result is missing for tool call ${String(id)}.` });
    } else {
      const input = state === "output-error" ? (part["input"] ?? part["rawInput"]) : part["input"];
      verdicts.push(...judgeInput(input, `${path}.input`));
    }
    return verdicts;
  });
}
