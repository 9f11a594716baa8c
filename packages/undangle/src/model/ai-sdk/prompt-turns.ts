import type { JsonObject, Language } from "#core";

/** The text of an empty turn, if a provider requires one. */
export const goOn: Readonly<Record<Language, string>> = { en: "(continued)", zh: "（继续）" };

/** The messages with adjacent assistant messages merged and a user message first, as some providers require. */
export function inTurns(messages: readonly JsonObject[], language: Language): readonly JsonObject[] {
  const turns: JsonObject[] = [];
  for (const message of messages) {
    const last = turns.at(-1);
    if (message["role"] === "assistant" && last?.["role"] === "assistant") {
      turns[turns.length - 1] = { ...last, content: [...contentOf(last), ...contentOf(message)] };
    } else turns.push(message);
  }
  const first = turns.findIndex(({ role }) => role !== "system");
  if (first === -1 || turns[first]?.["role"] === "user") return turns;
  return turns.toSpliced(first, 0, { role: "user", content: [{ type: "text", text: goOn[language] }] });
}

/** The parts of a message. In a prompt they are always a list. */
const contentOf = ({ content }: JsonObject): readonly unknown[] => (Array.isArray(content) ? content : []);
