import { check } from "#undangle";
import type { Edit } from "#undangle";

/** The part of a model call with the system text. */
export interface SystemCall {
  readonly messages: readonly unknown[];
  /** Placed before the messages; older versions lack the field. */
  readonly systemMessage?: unknown;
}

/** The changes to a call, and their edits. */
export interface Hoisted {
  readonly change: SystemCall;
  readonly edits: readonly Edit[];
}

/**
 * Moves system messages that Claude refuses into the system message of the call; undefined if there are none.
 * `ChatAnthropic` sends the first message as system text and the others in place.
 */
export function hoistSystem({ messages, systemMessage }: SystemCall, model: string | undefined): Hoisted | undefined {
  if (model === undefined || !/claude/i.test(model) || !isSystem(systemMessage)) return undefined;
  const found = messages.flatMap((message, index) => (isSystem(message) ? [{ message, index }] : []));
  const rest = messages.filter((message) => !isSystem(message));
  if (found.length === 0 || rest.length === 0 || isTaken(messages, isBlank(systemMessage), model)) return undefined;
  const texts = [...(isBlank(systemMessage) ? [] : [systemMessage]), ...found.map(({ message }) => message)];
  const [first = systemMessage, ...others] = texts;
  const system = others.reduce((whole, { text }) => whole.concat(`\n\n${text}`), first);
  return {
    change: { messages: rest, systemMessage: system },
    edits: found.map(({ message: before, index }) => ({
      rule: "system-position",
      type: "move",
      from: `messages[${index}]`,
      to: "systemMessage",
      before,
      lossless: true,
      reconstructed: false,
    })),
  };
}

/** A LangChain system message, by its structure. */
interface System {
  readonly type: "system";
  readonly text: string;
  concat(text: string): System;
}

const isSystem = (message: unknown): message is System =>
  typeOf(message) === "system" &&
  typeof (message as Partial<System>).text === "string" && // an object, by its type
  typeof (message as Partial<System>).concat === "function";

const typeOf = (message: unknown): unknown =>
  typeof message === "object" && message !== null && "type" in message ? message.type : undefined;

const isBlank = ({ text }: System): boolean => text.trim() === "";

/** True if the model accepts the system messages in place; the rule depends on the messages around them. */
function isTaken(messages: readonly unknown[], isFirstFree: boolean, model: string): boolean {
  const sent = isFirstFree && typeOf(messages[0]) === "system" ? messages.slice(1) : messages;
  const roles = { system: "system", ai: "assistant" } as const;
  const body = {
    model,
    messages: sent.map((message) => ({
      role: roles[typeOf(message) as keyof typeof roles] ?? "user", // any other type has none
      content: "text",
    })),
  };
  return !check(body, { format: "anthropic" }).some(
    ({ rule }) => rule === "system-position" || rule === "unknown-role",
  );
}
