import type { Loose } from "../../src/testing/judge/loose.ts";
import type { Random } from "./random.ts";
import type { Verdict } from "../../src/testing/judge/verdict.ts";

/** The formats that there is a judge for. */
export type Format =
  | "openai-chat"
  | "openai-responses"
  | "anthropic"
  | "bedrock"
  | "ai-sdk"
  | "langchain"
  | "gemini"
  | "ollama";

/** What the request is meant for. */
export interface Court {
  readonly format: Format;
  readonly provider?: string;
}

/** What the tests know of one format: they share no code with the product. */
export interface Subject {
  /** The key of the message list in a body. */
  readonly listKey: string;
  /** Every reason for which the provider would refuse the input, a body or a bare array. */
  readonly judge: (input: unknown, court: Court) => readonly Verdict[];
  /** A healthy, varied body of about `size` exchanges; every text in it is unique (`user-17`). */
  readonly generate: (random: Random, size: number) => Loose;
  /** All user texts, assistant texts and result texts of a message list. */
  readonly textsOf: (messages: readonly unknown[]) => string[];
  readonly anatomy: Anatomy;
  /** A plain user message. */
  readonly userMessage: unknown;
  /** True when the history ends in a turn that what follows may still change. */
  readonly isOpenEnded: (messages: readonly unknown[]) => boolean;
}

/** Where the parts of a message are that damage is done to. */
export interface Anatomy {
  /** The keys of a message that hold lists of parts. */
  readonly partKeys: readonly [string, ...string[]];
  /** The key that holds what a message says. */
  readonly contentKey: string;
  /** The objects of a message that hold an id, each with its key. */
  readonly ids: (message: Loose) => readonly Spot[];
  /** The objects of a message that hold the arguments of a call, each with its key. */
  readonly arguments: (message: Loose) => readonly Spot[];
}

/** A key of an object. */
export interface Spot {
  readonly holder: Loose;
  readonly key: string;
}
