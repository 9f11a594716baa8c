import type { Cause, Language, Owner, Seal } from "#core";

export type { Owner, Seal } from "#core";

/**
 * A conversation without a wire format: what readers give and writers take. Every node knows the path that it had where it
 * was read, so that a writer can say of what it has no place for.
 */
export interface Conversation {
  readonly messages: readonly Message[];
  /** What stands around the messages in a body; undefined for a bare array. */
  readonly setting: Setting | undefined;
}

/** A conversation in which nothing is left unsaid that a writer needs. */
export interface CompleteConversation extends Conversation {
  /** The language of what a writer has to say itself. */
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
  /** Who of several people speaks. */
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
  /** It is a document, which one format holds apart from what is said. */
  readonly document?: { readonly title: string | undefined };
  readonly seal?: Seal;
  /** It goes on with the text before it: only a seal stands between the two. */
  readonly isMore?: boolean;
}

export interface Media {
  readonly type: "media";
  readonly path: string;
  readonly kind: "image" | "audio" | "video" | "file";
  readonly mediaType: string | undefined;
  readonly source: MediaSource;
  /** The name of the file. */
  readonly name?: string;
  /** How closely the model is to look at it. */
  readonly detail?: string;
  readonly seal?: Seal;
}

/** Bytes as base64, an address, or the id of a file that only one provider can open: an upload, or an object in S3. */
export type MediaSource =
  | { readonly type: "bytes"; readonly data: string }
  | { readonly type: "url"; readonly url: string }
  | { readonly type: "file"; readonly id: string; readonly owner: Owner | "bedrock" };

export interface Reasoning {
  readonly type: "reasoning";
  readonly path: string;
  readonly text: string;
  readonly seal: Seal | undefined;
  /** There is nothing to read in it: the seal is all of it. */
  readonly isRedacted: boolean;
}

export interface Call {
  readonly type: "call";
  readonly path: string;
  /** Undefined where the format has none; `complete` gives every call one. */
  readonly id: string | undefined;
  readonly name: string;
  /** As it stood on the wire: text, or a value. */
  readonly input: { readonly text: string } | { readonly value: unknown };
  /** The input is free text, not JSON. */
  readonly isCustom: boolean;
  readonly seal?: Seal;
}

export interface Result {
  readonly path: string;
  readonly id: string | undefined;
  /** The name of the tool, where the format says it or the call is known. */
  readonly name: string | undefined;
  readonly parts: readonly ResultPart[];
  readonly isError: boolean;
  /** Why the tool gave none: what it says is a notice of ours, and another may take its place. */
  readonly notice?: { readonly cause: Cause; readonly reason?: string | undefined };
  /** It is one of our own notices: its text says what the mark of an error does. */
  readonly saysError?: boolean;
  /** A person refused the call, and may have said why; `complete` puts it into words. */
  readonly rejection?: { readonly reason: string | undefined };
}

export type ResultPart = Text | Media | Value;

/** Something structured that a tool gave back. */
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
  /** False where the model may make only one call at a time. */
  readonly isParallel: Placed<boolean> | undefined;
  readonly sampling: Sampling;
}

/** A parameter, and where it stood. */
export interface Placed<T> {
  readonly path: string;
  readonly value: T;
}

export interface Tool {
  readonly path: string;
  /** Where its fields stand, unless that is its path. */
  readonly home?: string;
  readonly name: string;
  readonly description: string | undefined;
  /** The JSON schema of its arguments. */
  readonly schema: unknown;
  readonly isCustom: boolean;
  /** Calls are to keep to the schema to the letter. */
  readonly isStrict: boolean;
}

export interface ToolChoice {
  readonly path: string;
  readonly type: "auto" | "none" | "required" | "tool";
  /** Of the one tool that is to be called. */
  readonly name?: string;
  /** The tools that may be called, where those are not all. */
  readonly among?: readonly string[];
}

/** How an answer is drawn. */
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
