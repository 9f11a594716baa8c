import { isText, listOf, recordOf } from "../loose.ts";
import type { Verdict } from "../verdict.ts";

/** The pairing rules of tool messages and calls. */
export function judgeChatPairing(messages: readonly unknown[]): Verdict[] {
  const verdicts: Verdict[] = [];
  const unanswered: Place[] = [];
  const strays: Place[] = [];
  let block: Block | undefined;

  const close = (): void => {
    for (const call of block?.calls ?? []) if (!block?.answered.has(call.id)) unanswered.push(call);
    block = undefined;
  };

  for (const [index, raw] of messages.entries()) {
    const message = recordOf(raw);
    const path = `messages[${index}]`;
    if (message["role"] !== "tool") {
      close();
      if (message["role"] === "assistant") block = openBlock(message["tool_calls"], index);
      continue;
    }
    const id = message["tool_call_id"];
    if (!isText(id)) {
      if (block === undefined) verdicts.push(orphan(path));
    } else if (block === undefined || !block.calls.some((call) => call.id === id)) {
      strays.push({ id, index, path });
    } else if (block.answered.has(id)) {
      const text = `Invalid parameter: Duplicate value for 'tool_call_id' of '${id}', in ${block.answered.get(id) ?? path} and ${path}.`;
      verdicts.push({ id: "OAC-DUP-RESULT", path, text });
    } else {
      block.answered.set(id, path);
    }
  }
  close();

  for (const call of unanswered) {
    const ids = unanswered.filter(({ index }) => index === call.index).map(({ id }) => id);
    const text = `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${ids.join(", ")}`;
    verdicts.push({ id: "OAC-UNANSWERED", path: call.path, text });
  }
  for (const stray of strays) {
    verdicts.push(orphan(stray.path));
    const sameId = unanswered.filter((call) => call.id === stray.id);
    if (sameId.some((call) => call.index < stray.index)) {
      verdicts.push({ id: "OAC-INTERLEAVED", path: stray.path, text: `${stray.id} is separated from its call.` });
    } else if (sameId.length > 0) {
      verdicts.push({ id: "OAC-RESULT-BEFORE-CALL", path: stray.path, text: `${stray.id} comes before its call.` });
    }
  }
  return verdicts;
}

interface Place {
  readonly id: string;
  readonly index: number;
  readonly path: string;
}

/** An assistant message with calls, and the positions of its results directly after it. */
interface Block {
  readonly calls: readonly Place[];
  readonly answered: Map<string, string>;
}

function openBlock(toolCalls: unknown, index: number): Block | undefined {
  const calls = listOf(toolCalls).flatMap((raw, position): Place[] => {
    const id = recordOf(raw)["id"];
    // A call without an id has its own verdict (OAC-ID-MISSING).
    return isText(id) ? [{ id, index, path: `messages[${index}].tool_calls[${position}]` }] : [];
  });
  return listOf(toolCalls).length > 0 ? { calls, answered: new Map() } : undefined;
}

function orphan(path: string): Verdict {
  const text =
    "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.";
  return { id: "OAC-ORPHAN", path, text };
}
