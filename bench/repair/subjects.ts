import { anthropicBody } from "../histories/anthropic.ts";
import { type Conversation, conversation } from "../histories/conversation.ts";
import { openaiChatBody } from "../histories/openai-chat.ts";

/** A request body of either format, as it comes out of JSON.parse. */
export interface Body {
  readonly messages: readonly object[];
}

export type Format = "openai-chat" | "anthropic";

/** One table of the report: a history that is measured at several sizes. */
export interface Subject {
  readonly name: string;
  readonly format: Format;
  readonly dangling: boolean;
  /** The conversation has about so many messages, counted in the chat format, where every result is a message. */
  readonly source: (messages: number) => Conversation;
  readonly body: (source: Conversation) => Body;
  /** `main`: every contender; `providers`: repair for each provider; `repair`: only repair. */
  readonly rows: "main" | "providers" | "repair";
}

const turn = { calls: 4, answered: 5 }; // messages: a question, one with two calls, two results, perhaps an answer
const clean = (messages: number): Conversation => conversation({ turns: Math.ceil(messages / turn.calls) });
const dangling = (messages: number): Conversation =>
  conversation({ turns: Math.ceil(messages / turn.calls), dangling: true });
const answered = (messages: number): Conversation =>
  conversation({ turns: Math.ceil(messages / turn.answered), answers: true });

/** Every history that is measured: the four that the figures name, and shapes that real requests have. */
export const subjects: readonly Subject[] = [
  {
    name: "openai-chat, clean",
    format: "openai-chat",
    dangling: false,
    source: clean,
    body: (source) => openaiChatBody(source),
    rows: "main",
  },
  {
    name: "openai-chat, 10 % of the calls without a result",
    format: "openai-chat",
    dangling: true,
    source: dangling,
    body: (source) => openaiChatBody(source),
    rows: "main",
  },
  {
    name: "anthropic, clean",
    format: "anthropic",
    dangling: false,
    source: clean,
    body: (source) => anthropicBody(source),
    rows: "main",
  },
  {
    name: "anthropic, 10 % of the calls without a result",
    format: "anthropic",
    dangling: true,
    source: dangling,
    body: (source) => anthropicBody(source),
    rows: "main",
  },
  {
    name: "openai-chat, clean, every turn answered, for one provider",
    format: "openai-chat",
    dangling: false,
    source: answered,
    body: (source) => openaiChatBody(source, { ids: "nine" }),
    rows: "providers",
  },
  {
    name: "openai-chat, clean, with a system message, parts, and the empty fields of OpenAI's answers",
    format: "openai-chat",
    dangling: false,
    source: answered,
    body: (source) => openaiChatBody(source, { asAnswered: true }),
    rows: "repair",
  },
  {
    name: "anthropic, clean, questions and results in messages of their own",
    format: "anthropic",
    dangling: false,
    source: clean,
    body: (source) => anthropicBody(source, { questions: "apart" }),
    rows: "repair",
  },
  {
    name: "anthropic, clean, with thinking, text beside the calls and results as blocks",
    format: "anthropic",
    dangling: false,
    source: answered,
    body: (source) => anthropicBody(source, { asAnswered: true }),
    rows: "repair",
  },
];

/** Four messages, as text, that go on with a conversation of this many turns. */
export function nextMessages(format: Format, turns: number): string {
  const next = conversation({ turns: 1, first: turns });
  if (format === "openai-chat") return JSON.stringify(openaiChatBody(next).messages);
  return JSON.stringify([{ role: "assistant", content: "That is all." }, ...anthropicBody(next).messages]);
}
