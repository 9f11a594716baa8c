import { judgeBlock } from "./blocks.ts";
import { judgeAnthropicPairing } from "./pairing.ts";
import { judgeServerTools } from "./server-tools.ts";
import { judgeSystemMessages } from "./system.ts";
import { judgeEnd, judgeThinking } from "./thinking.ts";
import { behindHeldTurn, isContinued } from "./thread.ts";
import { messageOf, placeOf, turnsOf, type Turn } from "./turns.ts";
import { isRecord, listOf, modelOf, readInput, recordOf, type Loose } from "../loose.ts";
import type { Verdict } from "../verdict.ts";

/** The ANT rules. Consecutive messages of one role are judged as one turn, as the API merges them. */
export function judgeAnthropic(input: unknown): Verdict[] {
  const { messages, body } = readInput(input);
  const continued = isContinued(body);
  if (messages.length === 0) {
    if (continued) return [];
    return [{ id: "ANT-EMPTY", path: "messages", text: "messages: at least one message is required" }];
  }
  const turns = turnsOf(messages);
  return [
    ...(continued ? [] : judgeSystemMessages(messages, modelOf(body))),
    ...messages.flatMap((message, index) => judgeContentType(recordOf(message), `messages[${index}].content`)),
    ...turns.flatMap((turn) => turn.blocks.flatMap((block) => judgeBlock(block, turn.role))),
    ...turns.flatMap(judgeText),
    ...judgeAnthropicPairing(continued ? behindHeldTurn(turns) : turns),
    ...judgeServerTools(turns),
    ...(continued ? [] : judgeThinking(turns, body)),
    ...judgeEnd(messages, turns, body),
    ...(continued || messages.some(addsTool) ? [] : judgeTools(turns, body)),
  ];
}

function judgeContentType(message: Loose, path: string): Verdict[] {
  const content = message["content"];
  if (typeof content === "string" || Array.isArray(content)) return [];
  if (content === undefined && message["role"] === "system" && isRecord(message["output_config"])) return [];
  const text = content === undefined ? "Field required" : "Input should be a valid string";
  return [{ id: "ANT-BLOCK", path, text: `${placeOf(path)}: ${text}` }];
}

function judgeText(turn: Turn): Verdict[] {
  if (turn.blocks.length === 0) {
    // An assistant message without content is contested; an empty user turn is not.
    if (turn.role === "assistant") return [];
    const text = `${messageOf(turn.path)}: user messages must have non-empty content`;
    return [{ id: "ANT-EMPTY-MSG", path: turn.path, text }];
  }
  const verdicts: Verdict[] = turn.blocks.flatMap(({ block, path }) =>
    block["type"] === "text" && block["text"] === ""
      ? [{ id: "ANT-EMPTY-TEXT", path, text: "messages: text content blocks must be non-empty" }]
      : [],
  );
  // Next to other blocks, blank text is accepted (tool_use) or contested (the rest).
  const texts = turn.blocks.map(({ block }) => (block["type"] === "text" ? block["text"] : undefined));
  const isOnlyText = texts.every((text) => typeof text === "string");
  const whole = isOnlyText ? texts.join("") : "";
  if (whole !== "" && whole.trim() === "") {
    const text = "messages: text content blocks must contain non-whitespace text";
    verdicts.push({ id: "ANT-BLANK-TEXT", path: turn.path, text });
  }
  return verdicts;
}

/** Whether a message adds a tool in the middle: directly, or as a summary of messages that did. */
function addsTool(message: unknown): boolean {
  const blocks = listOf(recordOf(message)["content"]).map(recordOf);
  const changes = blocks.flatMap((block) => listOf(block["tool_changes"]).map(recordOf));
  return [...blocks, ...changes].some((block) => block["type"] === "tool_addition");
}

function judgeTools(turns: readonly Turn[], body: Loose | undefined): Verdict[] {
  if (body === undefined || listOf(body["tools"]).length > 0) return [];
  const uses = turns.some((turn) =>
    turn.blocks.some(({ block }) => block["type"] === "tool_use" || block["type"] === "tool_result"),
  );
  const text = "Requests which include `tool_use` or `tool_result` blocks must define tools.";
  return uses ? [{ id: "ANT-TOOLS-MISSING", path: "tools", text }] : [];
}
