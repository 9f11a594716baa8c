import { repairMessages } from "./options.ts";
import type { MessagesOptions } from "./options.ts";

/**
 * Messages of a page of which `convertToModelMessages` loses no call: parts that are half done, or wait for an approval that
 * will not come, are answered. The same reference when nothing was wrong.
 */
export function repairUIMessages<List extends readonly { readonly role: string }[]>(
  messages: List,
  options: MessagesOptions = {},
): List {
  return repairMessages(messages, options);
}
