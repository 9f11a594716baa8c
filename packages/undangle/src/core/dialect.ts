import type { AssistantEntry, Call, Content, Entry, ResultEntry, SpanEntry } from "./history.ts";
import type { Journal, Paths } from "./journal.ts";
import type { Language } from "./language.ts";
import type { Cause } from "./notices.ts";
import type { Profile } from "./profile.ts";

/** The properties of a format, a provider and a request that the pairing rules need. */
export interface Dialect extends Paths {
  readonly profile: Profile;
  /** True if consecutive assistant messages count as one turn. */
  readonly mergesTurns: boolean;
  /** With merged turns: true for a message with only text, which may respond to the results before it. */
  readonly isSpoken?: (assistant: AssistantEntry) => boolean;
  /** True if a result may be anywhere after its call. By default it must directly follow the turn. */
  readonly resultsAnywhere?: boolean;
  /** True if consecutive user messages are separate turns. By default they merge like assistant messages. */
  readonly splitsUserTurns?: boolean;
  /** With optional ids: only names pair results, not positions or ids. */
  readonly namesTell?: boolean;
  /** The key paths of a pair, after the path of the call or result. */
  readonly fields: {
    readonly callId: string;
    readonly resultId: string;
    readonly name: string;
    readonly arguments: string;
  };
  /** The tool names of the request. */
  readonly toolNames: readonly string[];
  readonly emptyArguments: unknown;
  /** True for a call whose arguments are plain text, not JSON. */
  isFreeText(call: Call): boolean;
  /** The content of a result, for comparison, merging or quotation. */
  contentOf(result: ResultEntry): readonly Content[];
  /** False if a call cannot be inserted before the entry at this index; undefined if that depends on unread messages. */
  mayRestore(entries: readonly Entry[], index: number): boolean | undefined;
}

/** The options of the caller. */
export interface Policy {
  readonly orphans: "restore" | "quote" | "drop";
  readonly duplicates: "merge" | "last";
  readonly danglingAtEnd: "answer" | "leave";
  /** True also adds results to calls at the end that wait on purpose, as in UI messages. */
  readonly answersPending: boolean;
  readonly language: Language;
  readonly notice: (call: UnansweredCall) => Told;
  /** True for notices from the caller. */
  readonly hasOwnNotice: boolean;
  /** True leaves media unchanged. */
  readonly keepsMedia: boolean;
}

/** The context of every pairing rule. */
export interface Means {
  readonly dialect: Dialect;
  readonly policy: Policy;
  readonly journal: Journal;
  /** The messages that spans represent; undefined if all messages are read. */
  readonly unread: Unread | undefined;
}

/** Valid messages that are not read. A rule that depends on more than their call ids requests all messages. */
export interface Unread {
  /** True if one of their calls has this id. */
  hasCallId(id: string): boolean;
  /** True if one of their calls has one of these ids. Faster than `hasCallId` for the first question. */
  hasCallIdOf(ids: ReadonlySet<string>): boolean;
  /** True if the messages of a span contain calls. */
  hasCalls(span: SpanEntry): boolean;
  /** Set by a rule whose outcome depends on them. Nothing that the rules did is kept then. */
  isNeeded: boolean;
}

export interface UnansweredCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: unknown;
  readonly cause: Cause;
  /** The index of its message in the input. */
  readonly position: number;
  readonly language: Language;
  /** The reason of a rejection, if given. */
  readonly reason?: string | undefined;
}

/** The text of a notice, and the error of the caller's generator if the default text was used. */
export interface Told {
  readonly text: string;
  readonly error?: string;
}
