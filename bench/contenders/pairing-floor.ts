import type { Format } from "../histories/formats.ts";

/**
 * The least that a repair can do, written by hand for each format: one pass that looks only at the results right behind a
 * turn of calls and answers those that have none. No other rule, no report, no paths. Returns the same list when nothing is missing.
 */
export const pairingFloor: Partial<Record<Format, (messages: readonly object[]) => readonly object[]>> = {
  // The messages come out of JSON.parse, and the benchmark made them.
  "openai-chat": pairChat as (messages: readonly object[]) => readonly object[],
  anthropic: pairAnthropic as (messages: readonly object[]) => readonly object[],
};

const notice = (name: string, id: string): string =>
  `Tool call ${name} with id ${id} was cancelled - another message came in before it could be completed.`;

interface ChatMessage {
  readonly role: string;
  readonly content?: unknown;
  readonly tool_call_id?: string;
  readonly tool_calls?: readonly { readonly id: string; readonly function: { readonly name: string } }[];
}

function pairChat(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  let output: ChatMessage[] | undefined;
  for (let i = 0; i < messages.length; i++) {
    const message = messages[i];
    if (message === undefined) continue;
    output?.push(message);
    const calls = message.role === "assistant" ? message.tool_calls : undefined;
    if (calls === undefined) continue;
    let end = i + 1;
    while (messages[end]?.role === "tool") end++;
    for (const { id, function: called } of calls) {
      let answered = false;
      for (let at = i + 1; at < end && !answered; at++) answered = messages[at]?.tool_call_id === id;
      if (answered) continue;
      output ??= messages.slice(0, i + 1);
      output.push({ role: "tool", tool_call_id: id, content: notice(called.name, id) });
    }
  }
  return output ?? messages;
}

interface Block {
  readonly type: string;
  readonly id?: string;
  readonly name?: string;
  readonly tool_use_id?: string;
  readonly content?: unknown;
  readonly is_error?: boolean;
}

interface BlockMessage {
  readonly role: string;
  readonly content: string | readonly Block[];
}

function pairAnthropic(messages: readonly BlockMessage[]): readonly BlockMessage[] {
  let output: BlockMessage[] | undefined;
  for (let i = 0; i < messages.length; i++) {
    const message = messages[i];
    if (message === undefined) continue;
    output?.push(message);
    if (message.role !== "assistant" || typeof message.content === "string") continue;
    const next = messages[i + 1];
    const answers = next?.role === "user" && typeof next.content !== "string" ? next.content : undefined;
    const missing = unanswered(message.content, answers ?? []);
    if (missing === undefined) continue;
    output ??= messages.slice(0, i + 1);
    if (answers === undefined) output.push({ role: "user", content: missing });
    else {
      output.push({ role: "user", content: [...missing, ...answers] });
      i++;
    }
  }
  return output ?? messages;
}

function unanswered(blocks: readonly Block[], answers: readonly Block[]): Block[] | undefined {
  let missing: Block[] | undefined;
  for (const { type, id = "", name = "" } of blocks) {
    if (type !== "tool_use") continue;
    let answered = false;
    for (let at = 0; at < answers.length && !answered; at++) answered = answers[at]?.tool_use_id === id;
    if (answered) continue;
    (missing ??= []).push({ type: "tool_result", tool_use_id: id, content: notice(name, id), is_error: true });
  }
  return missing;
}
