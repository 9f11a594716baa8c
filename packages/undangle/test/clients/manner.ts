import type { WireFormat } from "undangle/testing";
import type { Loose } from "../../src/testing/judge/loose.ts";
import type { Format } from "../judge/subject.ts";
import { failureOf } from "./program.ts";
import type { Answer, Conversation, Heard, Listening, Result } from "./program.ts";

/** How an ordinary program speaks a format: it trusts what it gets. */
export interface Manner {
  readonly format: WireFormat & Format;
  /** The key of the messages in a body. */
  readonly listKey: string;
  readonly path: string;
  /** The body that asks for a stream. */
  readonly request: (messages: readonly unknown[]) => Loose;
  readonly user: (text: string) => unknown;
  readonly results: (results: readonly Result[]) => readonly unknown[];
  readonly listen: (onText: (text: string) => void) => Listener;
}

/** Adds up the events of one answer. */
export interface Listener {
  /** Throws for an event that reports an error. */
  readonly take: (event: Loose) => void;
  /** The answer so far. */
  readonly heard: () => Heard;
  /** The same as messages of the history; none where nothing was heard. */
  readonly messages: () => readonly unknown[];
}

/** Sends a body and gives the events of the answer. */
export type Ask = (body: Loose, signal: AbortSignal | undefined) => AsyncIterable<unknown>;

/** The loop that every documentation shows: send, add the answer, run tools, add results. */
export function converse(manner: Manner, ask: Ask, saved: readonly unknown[] = []): Conversation {
  const messages = [...saved];
  return {
    messages,
    say: (text) => void messages.push(manner.user(text)),
    answer: (results) => void messages.push(...manner.results(results)),
    async ask({ signal, onText = () => undefined, isEnough = () => false }: Listening = {}): Promise<Answer> {
      const listener = manner.listen(onText);
      let failure: Pick<Answer, "error"> = {};
      try {
        for await (const event of ask(manner.request(messages), signal)) {
          listener.take(event as Loose); // SDKs have types of their own for it
          if (isEnough(listener.heard())) break;
        }
      } catch (error) {
        failure = failureOf(error);
      }
      messages.push(...listener.messages());
      return { ...listener.heard(), ...failure };
    },
  };
}

/** The text under a key of an event; empty where there is none. */
export const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** The value of a JSON text, or the text where it is none: programs that save half an answer have only that. */
export function valueOf(text: string): unknown {
  try {
    return JSON.parse(text === "" ? "{}" : text);
  } catch {
    return text;
  }
}
