import type { Content, Entry, Journal, Policy } from "#core";

import type { Outlook } from "../spans.ts";
import type { ChatProfile } from "./profile.ts";

/** A chat message as it comes over the wire: an object, and nothing else is certain. */
export type Message = Readonly<Record<string, unknown>>;

/** What reading one request needs at hand. */
export interface Context {
  readonly profile: ChatProfile;
  readonly policy: Policy;
  readonly journal: Journal;
  /** The next role from a message on. */
  readonly outlook: Outlook;
  /** The list has one message only. */
  readonly isAlone: boolean;
  /** The content of messages after a merge. */
  readonly merged: Map<Entry, Content[]>;
}

/** True for a property value that the provider refuses. */
export const isRefused = (value: unknown, { plainAssistantOnly }: ChatProfile): boolean =>
  value !== undefined && (value !== null || plainAssistantOnly);

/** True when a message carries reasoning in a field that the provider reads. */
export const hasReasoning = (message: Message, { reasoningKeys }: ChatProfile): boolean =>
  reasoningKeys.some((key) => {
    const value = message[key];
    return typeof value === "string" || (Array.isArray(value) && value.length > 0);
  });

/** The message with one key changed, the order of its keys kept. */
export function withKey(message: Message, key: string, value: unknown): Message {
  return { ...message, [key]: value };
}

/** The message without some keys. */
export function withoutKeys(message: Message, keys: readonly string[]): Message {
  return Object.fromEntries(Object.entries(message).filter(([key]) => !keys.includes(key)));
}
