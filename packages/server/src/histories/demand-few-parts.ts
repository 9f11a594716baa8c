import { bad } from "../chat/fields.ts";

/** Of one message: each of them may be compared with all others, and that holds everybody else up. */
const mostParts = 2000;

/** Refuses messages with more parts or calls than anybody means; `at` is where they stand. */
export function demandFewParts(messages: readonly unknown[], at: string): void {
  messages.forEach((message, i) => {
    if (typeof message !== "object" || message === null) return;
    for (const [name, list] of Object.entries(message))
      if (Array.isArray(list) && list.length > mostParts)
        throw bad(`${at}[${i}].${name}`, `a list of at most ${mostParts}`, list);
  });
}
