import type { AssistantEntry, Call, Content, Entry, ResultEntry } from "./history.ts";
import type { IdTable } from "./id-table.ts";
import type { Journal, Paths } from "./journal.ts";
import type { Language } from "./language.ts";
import type { Cause } from "./notices.ts";
import type { Profile } from "./profile.ts";

/** What the pairing rules need to know of a format, a provider and one request. */
export interface Dialect extends Paths {
  readonly profile: Profile;
  /** Consecutive assistant messages count as one turn. */
  readonly mergesTurns: boolean;
  /** Where they do: true for a message of words alone, which may be the answer to the results of the calls before it. */
  readonly isSpoken?: (assistant: AssistantEntry) => boolean;
  /** A result may stand anywhere behind its call, and then stays there; left out, it stands right behind the turn. */
  readonly resultsAnywhere?: boolean;
  /** Consecutive user messages are turns of their own all the same; left out, they are merged where those of the assistant are. */
  readonly splitsUserTurns?: boolean;
  /** Where ids are optional, names alone tell whose a result is: neither its place among the others nor its id matters. */
  readonly namesTell?: boolean;
  /** Where the parts of a pair stand, behind the path of their call or result. */
  readonly fields: {
    readonly callId: string;
    readonly resultId: string;
    readonly name: string;
    readonly arguments: string;
  };
  /** The names of the tools that the request offers. */
  readonly toolNames: readonly string[];
  readonly emptyArguments: unknown;
  /** True for calls whose argument text is not meant to be JSON. */
  isFreeText(call: Call): boolean;
  /** The content of a result, to be compared, merged or quoted. */
  contentOf(result: ResultEntry): readonly Content[];
  /** False where a call cannot be put in front of the entry at this index. */
  mayRestore(entries: readonly Entry[], index: number): boolean;
}

/** What the caller wants done. */
export interface Policy {
  readonly orphans: "restore" | "quote" | "drop";
  readonly duplicates: "merge" | "last";
  readonly danglingAtEnd: "answer" | "leave";
  /** The caller asks for results of calls at the end also where they wait on purpose, as in messages for a page. */
  readonly answersPending: boolean;
  readonly language: Language;
  readonly notice: (call: UnansweredCall) => Told;
  /** The words are the caller's. */
  readonly hasOwnNotice: boolean;
  /** Media stay as they are, whatever the provider makes of them. */
  readonly keepsMedia: boolean;
}

/** What every pairing rule works with. */
export interface Means {
  readonly dialect: Dialect;
  readonly policy: Policy;
  readonly journal: Journal;
  /** The ids that are taken outside of these entries, where ids must be unique in a request; undefined when there is no outside. */
  readonly spanIds: IdTable | undefined;
}

/** A call that needs a notice. */
export interface UnansweredCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: unknown;
  readonly cause: Cause;
  /** Index of its message in the input. */
  readonly position: number;
  readonly language: Language;
  /** Why a person refused it, where the cause is `rejected` and a reason was given. */
  readonly reason?: string | undefined;
}

/** The words of a notice, and what went wrong in the caller's generator when they had to be ours. */
export interface Told {
  readonly text: string;
  readonly error?: string;
}
