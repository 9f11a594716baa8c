import type { Profile } from "#core";

/** What one provider of the chat format wants: one row each in `profiles.ts`. */
export interface ChatProfile extends Profile {
  /** `type: "function"` is required on every call. */
  readonly callTypeRequired: boolean;
  /** The content key is required on every message. */
  readonly contentKeyRequired: boolean;
  /** An assistant message without calls must have some text; that of a refusal is none. */
  readonly emptyAssistantRefused: boolean;
  /** A system message must have some text. */
  readonly emptySystemRefused: boolean;
  /** Properties that make an assistant message without text one that says something. */
  readonly excuses: readonly string[];
  /** `content: []` is refused on every message. */
  readonly emptyListRefused: boolean;
  /** `tool_calls: []` is refused. */
  readonly emptyCallsRefused: boolean;
  /** The names on results are bound like those of calls. */
  readonly resultNamesChecked: boolean;
  /** Assistant properties that are refused whenever they stand there; null is none but where only plain messages are taken. */
  readonly refusedProperties: readonly string[];
  /** Reasoning is required on assistant messages with calls (the request runs in thinking mode). */
  readonly reasoningRequired: boolean;
  /** The keys under which reasoning is taken; the first is written where there is none. */
  readonly reasoningKeys: readonly [string, ...string[]];
  /** The content of an assistant message with calls is text, not null and not left out. */
  readonly nullContentRefused: boolean;
  /** The content of a result is one text, not a list of parts. */
  readonly resultListsRefused: boolean;
  /** Only the first messages may be system messages. */
  readonly systemFirst: boolean;
  /** At least one user message is required. */
  readonly userRequired: boolean;
  /** No user message right after a result. */
  readonly userAfterResultRefused: boolean;
  /** Which roles may follow which: Mistral's table, strict alternation, or no rule. */
  readonly order: "free" | "mistral" | "alternate";
  /** No message that makes calls at the front: behind nothing (Mistral), or behind system messages too (Gemini). */
  readonly callsFirstRefused: "alone" | "behind-system" | undefined;
  /** Not two assistant messages at the end. */
  readonly trailingAssistantsRefused: boolean;
  /** An assistant message holds text or calls, not both. */
  readonly textWithCallRefused: boolean;
  /** An assistant message holds one call at most. */
  readonly parallelCallsRefused: boolean;
  /** An assistant message speaks by content and by calls of type function, and by nothing else that OpenAI has. */
  readonly plainAssistantOnly: boolean;
  /** Role `function` is refused. */
  readonly functionRoleRefused: boolean;
  /** Role `developer` is refused. */
  readonly developerRoleRefused: boolean;
  /** Content parts of a type that OpenAI does not know are refused outside results too; other servers have types of their own. */
  readonly partTypesChecked: boolean;
  /** Nothing but text is taken: the model neither sees nor hears. */
  readonly textOnly: boolean;
  /** Which parts of type `file` are taken: any, those with the id of an upload, documents by URL in their place, or none. */
  readonly files: "any" | "uploads" | "documents" | "none";
  /** An image that is sent as bytes is PNG, JPEG, GIF or WebP. */
  readonly usualImagesOnly: boolean;
}
