import { repairMessages } from "./options.ts";
import type { MessagesOptions } from "./options.ts";

/**
 * Messages for `generateText` and `streamText` in which every call has a result; the same reference if nothing was
 * wrong. Approval responses in the last message stay, because the SDK reads them.
 */
export function repairModelMessages<List extends readonly { readonly role: string }[]>(
  messages: List,
  options: MessagesOptions = {},
): List {
  return repairMessages(messages, options);
}
