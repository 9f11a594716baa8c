import type { Content, Entry, Journal, JsonObject, Policy } from "#core";

import type { Outlook } from "../../spans.ts";
import type { ChatProfile } from "../profile.ts";

/** A chat message of the wire: an object with unchecked fields. */
export type Message = JsonObject;

/** The context for reading one request. */
export interface Context {
  readonly profile: ChatProfile;
  readonly policy: Policy;
  readonly journal: Journal;
  /** Looks up the role of the next message. */
  readonly outlook: Outlook;
  /** True if the list has only one message. */
  readonly isAlone: boolean;
  /** The content of messages after a merge. */
  readonly merged: Map<Entry, Content[]>;
  /** Media that move to a user message after these entries. */
  readonly media: Map<Entry, readonly Content[]>;
}

/** True for a property value that the provider refuses. */
export const isRefused = (value: unknown, { plainAssistantOnly }: ChatProfile): boolean =>
  value !== undefined && (value !== null || plainAssistantOnly);

/** True if a message contains reasoning in a field that the provider reads. */
export const hasReasoning = (message: Message, { reasoningKeys }: ChatProfile): boolean =>
  reasoningKeys.some((key) => {
    const value = message[key];
    return typeof value === "string" || (Array.isArray(value) && value.length > 0);
  });

/** Changes one key of a message. The order of its keys is kept. */
export function withKey(message: Message, key: string, value: unknown): Message {
  return { ...message, [key]: value };
}

export function withoutKeys(message: Message, keys: readonly string[]): Message {
  return Object.fromEntries(Object.entries(message).filter(([key]) => !keys.includes(key)));
}
