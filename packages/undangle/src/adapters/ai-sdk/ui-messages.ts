import { repairMessages } from "./options.ts";
import type { MessagesOptions } from "./options.ts";

/**
 * UI messages from which `convertToModelMessages` loses no call: incomplete parts, and approvals that will not arrive,
 * get a result. Returns the same reference if nothing was wrong.
 */
export function repairUIMessages<List extends readonly { readonly role: string }[]>(
  messages: List,
  options: MessagesOptions = {},
): List {
  return repairMessages(messages, options);
}
