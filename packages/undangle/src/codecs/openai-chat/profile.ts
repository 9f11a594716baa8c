import type { Profile } from "#core";

/** What one provider of the chat format wants: one row each in `profiles.ts`. */
export interface ChatProfile extends Profile {
  /** `type: "function"` is required on every call. */
  readonly callTypeRequired: boolean;
  /** The content key is required on every message. */
  readonly contentKeyRequired: boolean;
  /** True if an assistant message without calls requires text; a refusal does not count. */
  readonly emptyAssistantRefused: boolean;
  /** A system message must have some text. */
  readonly emptySystemRefused: boolean;
  /** Properties that make an assistant message without text valid. */
  readonly excuses: readonly string[];
  /** `content: []` is refused on every message. */
  readonly emptyListRefused: boolean;
  /** `tool_calls: []` is refused. */
  readonly emptyCallsRefused: boolean;
  /** The names on results are bound like those of calls. */
  readonly resultNamesChecked: boolean;
  /**
   * Assistant properties that are always refused. Null counts as absent, except where only plain messages are accepted.
   */
  readonly refusedProperties: readonly string[];
  /** Reasoning is required on assistant messages with calls (the request runs in thinking mode). */
  readonly reasoningRequired: boolean;
  /** The accepted reasoning keys; the first is written if there is none. */
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
  /** Calls at the start are refused: in the first message (Mistral), or also after system messages (Gemini). */
  readonly callsFirstRefused: "alone" | "behind-system" | undefined;
  /** Not two assistant messages at the end. */
  readonly trailingAssistantsRefused: boolean;
  /** An assistant message holds text or calls, not both. */
  readonly textWithCallRefused: boolean;
  /** An assistant message holds one call at most. */
  readonly parallelCallsRefused: boolean;
  /** True if an assistant message may contain only content and function calls. */
  readonly plainAssistantOnly: boolean;
  /** Role `function` is refused. */
  readonly functionRoleRefused: boolean;
  /** Role `developer` is refused. */
  readonly developerRoleRefused: boolean;
  /** True if unknown content part types are refused outside results too; other servers have their own types. */
  readonly partTypesChecked: boolean;
  /** Nothing but text is taken: the model neither sees nor hears. */
  readonly textOnly: boolean;
  /** The accepted parts of type `file`: any, uploads by id, documents by URL instead, or none. */
  readonly files: "any" | "uploads" | "documents" | "none";
  /** An image that is sent as bytes is PNG, JPEG, GIF or WebP. */
  readonly usualImagesOnly: boolean;
}
