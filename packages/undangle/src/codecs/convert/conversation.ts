import type { Cause, Language, Owner, Seal } from "#core";

export type { Owner, Seal } from "#core";

/**
 * A conversation independent of wire formats: the output of readers and the input of writers. Every node has its
 * original path, so that a writer can report losses.
 */
export interface Conversation {
  readonly messages: readonly Message[];
  /** The rest of the body around the messages; undefined for a bare array. */
  readonly setting: Setting | undefined;
}

/** A conversation with all fields that a writer needs. */
export interface CompleteConversation extends Conversation {
  /** The language of texts that a writer adds. */
  readonly language: Language;
}

export type Message = SystemMessage | UserMessage | AssistantMessage | ToolMessage;

export interface SystemMessage {
  readonly role: "system";
  readonly path: string;
  readonly parts: readonly Text[];
  readonly isDeveloper: boolean;
}

export interface UserMessage {
  readonly role: "user";
  readonly path: string;
  readonly parts: readonly (Text | Media)[];
  /** The name of the author. */
  readonly name: string | undefined;
}

export interface AssistantMessage {
  readonly role: "assistant";
  readonly path: string;
  readonly parts: readonly AssistantPart[];
}

export type AssistantPart = Text | Media | Reasoning | Call;

/** The results of the calls before it. */
export interface ToolMessage {
  readonly role: "tool";
  readonly path: string;
  readonly results: readonly Result[];
}

export interface Text {
  readonly type: "text";
  readonly path: string;
  readonly text: string;
  readonly isRefusal?: boolean;
  /** Set for a document, which only Anthropic's format distinguishes from text. */
  readonly document?: { readonly title: string | undefined };
  readonly seal?: Seal;
  /** True if it continues the text before it and only a signature separates them. */
  readonly isMore?: boolean;
  /**
   * True for system text that may change during a conversation, such as memory. Models write it after the texts that do
   * not change, and cache those separately.
   */
  readonly isVolatile?: boolean;
}

export interface Media {
  readonly type: "media";
  readonly path: string;
  readonly kind: "image" | "audio" | "video" | "file";
  readonly mediaType: string | undefined;
  readonly source: MediaSource;
  /** The name of the file. */
  readonly name?: string;
  /** The detail level of an image. */
  readonly detail?: string;
  readonly seal?: Seal;
}

/** Base64 bytes, a URL, or the id of a file that only one provider can open: an upload, or an object in S3. */
export type MediaSource =
  | { readonly type: "bytes"; readonly data: string }
  | { readonly type: "url"; readonly url: string }
  | { readonly type: "file"; readonly id: string; readonly owner: Owner | "bedrock" };

export interface Reasoning {
  readonly type: "reasoning";
  readonly path: string;
  readonly text: string;
  readonly seal: Seal | undefined;
  /** True if there is only encrypted data. */
  readonly isRedacted: boolean;
}

export interface Call {
  readonly type: "call";
  readonly path: string;
  /** Undefined if the format has none. `complete` gives every call an id. */
  readonly id: string | undefined;
  readonly name: string;
  /** In its original form: text, or a value. */
  readonly input: { readonly text: string } | { readonly value: unknown };
  /** True if the input is free text, not JSON. */
  readonly isCustom: boolean;
  readonly seal?: Seal;
}

export interface Result {
  readonly path: string;
  readonly id: string | undefined;
  /** The tool name, if the format contains it or the call is known. */
  readonly name: string | undefined;
  readonly parts: readonly ResultPart[];
  readonly isError: boolean;
  /** Set for a notice, with its cause. Another text may replace it. */
  readonly notice?: { readonly cause: Cause; readonly reason?: string | undefined };
  /** True for a notice, whose text replaces the error flag. */
  readonly saysError?: boolean;
  /** Set for a rejected call, with the reason. `complete` writes the text. */
  readonly rejection?: { readonly reason: string | undefined };
}

export type ResultPart = Text | Media | Value;

/** Structured tool output. */
export interface Value {
  readonly type: "value";
  readonly path: string;
  readonly value: unknown;
}

export interface Setting {
  readonly model: string | undefined;
  readonly isStreamed: boolean | undefined;
  readonly tools: readonly Tool[];
  readonly toolChoice: ToolChoice | undefined;
  /** False if the model may make only one call at a time. */
  readonly isParallel: Placed<boolean> | undefined;
  readonly sampling: Sampling;
}

/** A parameter and its path. */
export interface Placed<T> {
  readonly path: string;
  readonly value: T;
}

export interface Tool {
  readonly path: string;
  /** The path of its fields, if it differs. */
  readonly home?: string;
  readonly name: string;
  readonly description: string | undefined;
  /** The JSON schema of its arguments. */
  readonly schema: unknown;
  readonly isCustom: boolean;
  /** True if calls must match the schema exactly. */
  readonly isStrict: boolean;
}

export interface ToolChoice {
  readonly path: string;
  readonly type: "auto" | "none" | "required" | "tool";
  /** The name of the required tool. */
  readonly name?: string;
  /** The allowed tools, if not all are allowed. */
  readonly among?: readonly string[];
}

/** Sampling parameters. */
export interface Sampling {
  readonly maxTokens?: Placed<number>;
  readonly temperature?: Placed<number>;
  readonly topP?: Placed<number>;
  readonly topK?: Placed<number>;
  readonly stop?: Placed<readonly string[]>;
  readonly seed?: Placed<number>;
  readonly frequencyPenalty?: Placed<number>;
  readonly presencePenalty?: Placed<number>;
}
