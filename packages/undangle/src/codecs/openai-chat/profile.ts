import type { Profile } from "#core";

/** The requirements of one provider of the chat format. The rows are in `profiles.ts`. */
export interface ChatProfile extends Profile {
  /** `type: "function"` is required on every call. */
  readonly callTypeRequired: boolean;
  /** The content key is required on every message. */
  readonly contentKeyRequired: boolean;
  /** True if an assistant message without calls requires text; a refusal does not count. */
  readonly emptyAssistantRefused: boolean;
  /** True if a system message must contain text. */
  readonly emptySystemRefused: boolean;
  /** Properties that make an assistant message without text valid. */
  readonly excuses: readonly string[];
  /** `content: []` is refused on every message. */
  readonly emptyListRefused: boolean;
  /** `tool_calls: []` is refused. */
  readonly emptyCallsRefused: boolean;
  /** True if names on results must be valid, like those of calls. */
  readonly resultNamesChecked: boolean;
  /**
   * Assistant properties that are always refused. Null counts as absent, except where only plain messages are accepted.
   */
  readonly refusedProperties: readonly string[];
  /** True if assistant messages with calls require reasoning (the request is in thinking mode). */
  readonly reasoningRequired: boolean;
  /** The accepted reasoning keys; the first is written if there is none. */
  readonly reasoningKeys: readonly [string, ...string[]];
  /** True if the content of an assistant message with calls must be text, not null and not absent. */
  readonly nullContentRefused: boolean;
  /** True if the content of a result must be text, not a list of parts. */
  readonly resultListsRefused: boolean;
  /** Only the first messages may be system messages. */
  readonly systemFirst: boolean;
  /** At least one user message is required. */
  readonly userRequired: boolean;
  /** True if a user message directly after a result is refused. */
  readonly userAfterResultRefused: boolean;
  /** Which roles may follow which: Mistral's table, strict alternation, or no rule. */
  readonly order: "free" | "mistral" | "alternate";
  /** Calls at the start are refused: in the first message (Mistral), or also after system messages (Gemini). */
  readonly callsFirstRefused: "alone" | "behind-system" | undefined;
  /** True if two assistant messages at the end are refused. */
  readonly trailingAssistantsRefused: boolean;
  /** True if an assistant message may contain text or calls, but not both. */
  readonly textWithCallRefused: boolean;
  /** True if an assistant message may contain at most one call. */
  readonly parallelCallsRefused: boolean;
  /** True if an assistant message may contain only content and function calls. */
  readonly plainAssistantOnly: boolean;
  /** Role `function` is refused. */
  readonly functionRoleRefused: boolean;
  /** Role `developer` is refused. */
  readonly developerRoleRefused: boolean;
  /** True if unknown content part types are refused outside results too; other servers have their own types. */
  readonly partTypesChecked: boolean;
  /** True if only text is accepted, because the model cannot read media. */
  readonly textOnly: boolean;
  /** The accepted parts of type `file`: any, uploads by id, documents by URL instead, or none. */
  readonly files: "any" | "uploads" | "documents" | "none";
  /** True if images sent as bytes must be PNG, JPEG, GIF or WebP. */
  readonly usualImagesOnly: boolean;
}
