import { bad } from "../chat/fields.ts";

/** The limit per message. Parts may be compared with each other, which would block the event loop. */
const mostParts = 2000;

/** Refuses messages with too many parts or calls. `at` is their path. */
export function demandFewParts(messages: readonly unknown[], at: string): void {
  messages.forEach((message, i) => {
    if (typeof message !== "object" || message === null) return;
    for (const [name, list] of Object.entries(message))
      if (Array.isArray(list) && list.length > mostParts)
        throw bad(`${at}[${i}].${name}`, `a list of at most ${mostParts}`, list);
  });
}
