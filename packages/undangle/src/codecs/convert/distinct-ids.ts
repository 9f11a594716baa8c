import type { Edit } from "#core";

import type { AssistantMessage, Message } from "./conversation.ts";
import type { MendedMessages } from "./mend-messages.ts";

/** Messages that are paired, with ids that no two calls share; the same list when they have them. */
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

/** The ids that calls have, and the number that the next one of an id would get. */
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
