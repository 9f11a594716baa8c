import { repairMessages } from "./options.ts";
import type { MessagesOptions } from "./options.ts";

/**
 * Model messages that `generateText` and `streamText` take, with every call answered; the same reference when nothing was
 * wrong. Answers to approval requests in the last message stay: the SDK acts upon them.
 */
export function repairModelMessages<List extends readonly { readonly role: string }[]>(
  messages: List,
  options: MessagesOptions = {},
): List {
  return repairMessages(messages, options);
}
