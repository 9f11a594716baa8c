import { isServerResult, placeOf, type Turn } from "./turns.ts";
import { isRecord, modelOf, recordOf, shown, type Loose } from "../loose.ts";
import { claudeModel } from "./claude-model.ts";
import type { Verdict } from "../verdict.ts";

/** ANT-THINK-FIRST: with thinking on, the current tool loop starts with a thinking block. */
export function judgeThinking(turns: readonly Turn[], body: Loose | undefined): Verdict[] {
  if (thinkingType(body) !== "enabled") return [];
  const last = turns.length - 1;
  if (!isOnlyResults(turns[last]) || !has(turns[last - 1], "tool_use")) return [];
  // If a user turn contains results and text, the start of the loop is ambiguous. Only violations under both readings
  // count.
  const starts = [isOnlyResults, hasResults].map((isStep) => {
    let start = last - 1;
    while (start >= 2 && isStep(turns[start - 1])) start -= 2;
    return turns[start];
  });
  if (starts.some(startsWithThinking)) return [];
  const first = starts[0]?.blocks[0];
  const path = first?.path ?? "messages";
  const found = shown(first?.block["type"]);
  const text = `${placeOf(path).replace(/\.content$/, ".content.0")}.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${found}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block.`;
  return [{ id: "ANT-THINK-FIRST", path, text }];
}

/** The rules for a request that ends with an assistant message. */
export function judgeEnd(messages: readonly unknown[], turns: readonly Turn[], body: Loose | undefined): Verdict[] {
  const turn = turns.at(-1);
  if (turn?.role !== "assistant" || recordOf(messages.at(-1))["role"] !== "assistant") return [];
  const verdicts: Verdict[] = [];
  const path = `messages[${messages.length - 1}]`;
  const last = turn.blocks.at(-1)?.block;
  if (last?.["type"] === "text" && typeof last["text"] === "string" && /\s$/.test(last["text"])) {
    const text = "messages: final assistant content cannot end with trailing whitespace";
    verdicts.push({ id: "ANT-TRAILING-WS", path, text });
  }
  // A turn that paused inside a server tool, or after a summary, is sent back unchanged for continuation.
  const isPaused =
    last?.["type"] === "compaction" ||
    turn.blocks.some(({ block }) => block["type"] === "server_tool_use" || isServerResult(block));
  const isSummedUp = isRecord(body?.["compaction"]);
  const model = claudeModel(modelOf(body));
  if (!isPaused && !isSummedUp && (model.refusesPrefill || thinkingType(body) === "enabled")) {
    const text =
      "This model does not support assistant message prefill. The conversation must end with a user message.";
    verdicts.push({ id: "ANT-PREFILL", path, text });
  }
  const isOff = thinkingType(body) === "disabled" || (thinkingType(body) === "absent" && !model.mayThinkUnasked);
  const thought = turn.blocks.find(
    ({ block }) => block["type"] === "thinking" || block["type"] === "redacted_thinking",
  );
  if (isOff && thought !== undefined) {
    const text = `${placeOf(thought.path)}: When thinking is disabled, an \`assistant\` message in the final position cannot contain \`thinking\`.`;
    verdicts.push({ id: "ANT-THINK-DISABLED", path, text });
  }
  return verdicts;
}

/** The thinking setting of the request; none for a bare array. */
function thinkingType(body: Loose | undefined): unknown {
  if (body === undefined) return "unknown";
  return body["thinking"] === undefined ? "absent" : recordOf(body["thinking"])["type"];
}

function has(turn: Turn | undefined, type: string): boolean {
  return turn?.blocks.some(({ block }) => block["type"] === type) ?? false;
}

function hasResults(turn: Turn | undefined): boolean {
  return turn?.role === "user" && has(turn, "tool_result");
}

/** An empty text, which is invalid, does not count as user text. */
function isOnlyResults(turn: Turn | undefined): boolean {
  const isQuiet = (block: Loose): boolean =>
    block["type"] === "tool_result" || (block["type"] === "text" && block["text"] === "");
  return hasResults(turn) && (turn?.blocks.every(({ block }) => isQuiet(block)) ?? false);
}

function startsWithThinking(turn: Turn | undefined): boolean {
  const type = turn?.blocks[0]?.block["type"];
  return type === "thinking" || type === "redacted_thinking";
}
