import { anthropicBody } from "../histories/anthropic.ts";
import { type Conversation, conversation } from "../histories/conversation.ts";
import { type Body, type Format, formats } from "../histories/formats.ts";
import { openaiChatBody } from "../histories/openai-chat.ts";

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

/** Clean, and with one call in ten without a result. */
const bothOf = (format: Format, rows: Subject["rows"]): readonly Subject[] => [
  { name: `${format}, clean`, format, dangling: false, source: clean, body: formats[format].body, rows },
  {
    name: `${format}, 10 % of the calls without a result`,
    format,
    dangling: true,
    source: dangling,
    body: formats[format].body,
    rows,
  },
];

/** Every history that is measured: those that the figures name, and shapes that real requests have. */
export const subjects: readonly Subject[] = [
  ...bothOf("openai-chat", "main"),
  ...bothOf("anthropic", "main"),
  ...bothOf("openai-responses", "repair"),
  ...bothOf("gemini", "repair"),
  ...bothOf("bedrock", "repair"),
  ...bothOf("ollama", "repair"),
  ...bothOf("ai-sdk", "repair"),
  ...bothOf("langchain", "repair"),
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
