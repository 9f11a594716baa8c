import type { Edit } from "#core";

import type { AssistantMessage, Message } from "./conversation.ts";
import type { MendedMessages } from "./mend-messages.ts";

/** Gives all calls of paired messages distinct ids. Returns the same list if they already are. */
export function distinctIds({ messages, edits }: MendedMessages): MendedMessages {
  const known: Known = { ids: new Set(), times: new Map() };
  const renames: Edit[] = [];
  const renamed: Message[] = [];
  messages.forEach((message, i) => {
    const before = messages[i - 1];
    if (message.role === "tool") {
      const calls = before?.role === "assistant" ? idsOf(renamed.at(-1)) : [];
      const isSame = message.results.every(({ id }, place) => id === (calls[place] ?? id));
      renamed.push(
        isSame
          ? message
          : { ...message, results: message.results.map((each, place) => ({ ...each, id: calls[place] ?? each.id })) },
      );
      return;
    }
    renamed.push(
      message.role === "assistant"
        ? withOwnIds(message, known, (id, other) => renames.push(renameOf(i, id, other)))
        : message,
    );
  });
  return renames.length === 0 ? { messages, edits } : { messages: renamed, edits: [...edits, ...renames] };
}

/** The ids of calls, and the next numeric suffix for each. */
interface Known {
  readonly ids: Set<string>;
  readonly times: Map<string, number>;
}

function withOwnIds(
  message: AssistantMessage,
  { ids, times }: Known,
  onRename: (id: string, other: string) => void,
): AssistantMessage {
  let isSame = true;
  const parts = message.parts.map((part) => {
    if (part.type !== "call" || part.id === undefined) return part;
    let id = part.id;
    let n = times.get(part.id) ?? 2;
    for (; ids.has(id); n++) id = `${part.id}_${n}`;
    times.set(part.id, n);
    ids.add(id);
    if (id === part.id) return part;
    isSame = false;
    onRename(part.id, id);
    return { ...part, id };
  });
  return isSame ? message : { ...message, parts };
}

const idsOf = (message: Message | undefined): readonly (string | undefined)[] =>
  message?.role === "assistant" ? message.parts.flatMap((part) => (part.type === "call" ? [part.id] : [])) : [];

const renameOf = (place: number, before: string, after: string): Edit => ({
  rule: "reused-call-id",
  type: "rename",
  to: `messages[${place}]`,
  before,
  after,
  lossless: true,
  reconstructed: false,
  callId: after,
});
