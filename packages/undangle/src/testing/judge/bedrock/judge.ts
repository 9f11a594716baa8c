import { dotted, isText, listOf, readInput, recordOf, shown, type Loose } from "../loose.ts";
import type { Verdict } from "../verdict.ts";
import { judgeMessage } from "./blocks.ts";
import { messagesIn, resultsOf, usesOf, type Message } from "./messages.ts";
import { bedrockModel, type BedrockModel } from "./model.ts";
import { judgePairs } from "./pairing.ts";

/** The BDR rules: every message counts separately, and nothing is merged. */
export function judgeBedrock(input: unknown): Verdict[] {
  const { messages: list, body } = readInput(input);
  const model = bedrockModel(body);
  if (list.length === 0) return model.isPrompt ? [] : [{ id: "BDR-EMPTY", path: "messages", text: "no messages" }];
  const messages = messagesIn(list);
  const spoken = messages.filter(({ role }) => role === "user" || role === "assistant");
  return [
    ...judgeRoles(messages, model),
    ...spoken.flatMap((message) => judgeMessage(message, model)),
    ...judgePairs(spoken),
    ...spoken.flatMap((message, index) => judgeOrder(message, spoken[index - 1], model)),
    ...judgeThinking(spoken, model),
    ...judgeTools(spoken, body),
  ];
}

function judgeRoles(messages: readonly Message[], model: BedrockModel): Verdict[] {
  return messages.flatMap(({ role, path, index }): Verdict[] => {
    const verdicts: Verdict[] = [];
    const isKnown = role === "user" || role === "assistant" || (role === "system" && model.takesSystemRole !== false);
    if (!isKnown) verdicts.push({ id: "BDR-ROLE", path, text: `${role} is not a role of this model` });
    if (index === 0 && role !== "user") {
      verdicts.push({ id: "BDR-FIRST-USER", path, text: "A conversation must start with a user message." });
    }
    if (role !== "system" && index > 0 && messages[index - 1]?.role === role) {
      verdicts.push({
        id: "BDR-ALTERNATE",
        path,
        text: "A conversation must alternate between user and assistant roles. Make sure the conversation alternates between user and assistant roles and try again",
      });
    }
    return verdicts;
  });
}

/** The order of blocks in a message, if the model requires one. */
function judgeOrder(message: Message, before: Message | undefined, model: BedrockModel): Verdict[] {
  const { role, path, blocks } = message;
  const isResult = (block: Loose): boolean => role === "user" && "toolResult" in block;
  const isUse = (block: Loose): boolean =>
    role === "assistant" && recordOf(block["toolUse"])["toolUseId"] !== undefined;
  const verdicts: Verdict[] = [];
  const firstUse = blocks.findIndex(isUse);
  if (model.isClaude && firstUse >= 0 && blocks.slice(firstUse).some((block) => isText(block["text"]))) {
    const ids = usesOf(message).map((use) => shown(use["toolUseId"]));
    const text = `${dotted(path)}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${ids.join(", ")}.`;
    verdicts.push({ id: "BDR-TEXT-AFTER-TOOLUSE", path, text });
  }
  const firstOther = blocks.findIndex((block) => !isResult(block) && !("cachePoint" in block));
  if (model.isClaude && firstOther >= 0 && blocks.slice(firstOther).some(isResult)) {
    const count = usesOf(before).length || resultsOf(message).length;
    const text = `${dotted(path)}: Did not find ${count} \`tool_result\` block(s) at the beginning of this message. Messages following \`tool_use\` blocks must begin with a matching number of \`tool_result\` blocks.`;
    verdicts.push({ id: "BDR-RESULT-NOT-FIRST", path, text });
  }
  const toolSide = blocks.some(isResult) ? "result" : firstUse >= 0 ? "use" : undefined;
  if (model.refusesMixedTurns && toolSide !== undefined && blocks.some((block) => isText(block["text"]))) {
    const text = `${dotted(path)}.content: Conversation blocks and tool ${toolSide} blocks cannot be provided in the same turn.`;
    verdicts.push({ id: "BDR-MIXED-TURN", path, text });
  }
  return verdicts;
}

/** With thinking on, the current tool loop starts with reasoning. */
function judgeThinking(messages: readonly Message[], { isThinking }: BedrockModel): Verdict[] {
  const last = messages.length - 1;
  if (!isThinking || !isOnlyResults(messages[last]) || usesOf(messages[last - 1]).length === 0) return [];
  // If a user message contains results and text, the start of the loop is ambiguous. Only violations under both readings
  // count.
  const starts = [isOnlyResults, (message: Message | undefined) => resultsOf(message).length > 0].map((isStep) => {
    let start = last - 1;
    while (start >= 2 && isStep(messages[start - 1])) start -= 2;
    return messages[start];
  });
  if (starts.some((start) => start !== undefined && "reasoningContent" in recordOf(start.blocks[0]))) return [];
  const [start] = starts;
  const path = start?.path ?? "messages";
  const found = "toolUse" in recordOf(start?.blocks[0]) ? "tool_use" : "text";
  const text = `The model returned the following errors: ${dotted(path)}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${found}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block.`;
  return [{ id: "BDR-THINK-FIRST", path, text }];
}

/** A blank text, which is invalid, does not count as user text. */
function isOnlyResults(message: Message | undefined): boolean {
  if (message?.role !== "user" || resultsOf(message).length === 0) return false;
  const isBlank = ({ text }: Loose): boolean => typeof text === "string" && text.trim() === "";
  return message.blocks.every((block) => "toolResult" in block || "cachePoint" in block || isBlank(block));
}

function judgeTools(messages: readonly Message[], body: Loose | undefined): Verdict[] {
  if (body === undefined || listOf(recordOf(body["toolConfig"])["tools"]).length > 0) return [];
  if (!messages.some((message) => usesOf(message).length + resultsOf(message).length > 0)) return [];
  const text = "The toolConfig field must be defined when using toolUse and toolResult content blocks.";
  return [{ id: "BDR-TOOLCONFIG", path: "toolConfig", text }];
}
