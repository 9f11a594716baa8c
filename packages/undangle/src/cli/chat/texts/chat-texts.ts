import type { AllowanceScope, DecisionType, RunMode, SettledState } from "#engine";

import type { DirectoryFault } from "../chat-files.ts";

/** All texts of the chat in one language. Names of commands, options and tools are not translated. */
export interface ChatTexts {
  readonly start: StartTexts;
  readonly approval: ApprovalTexts;
  readonly commands: CommandTexts;
  readonly plain: PlainTexts;
  /** The outcome of a call that did not succeed. */
  readonly states: Readonly<Record<Exclude<SettledState, "succeeded">, string>>;
  readonly decided: Readonly<Record<"approve" | "edit", string>>;
  readonly allowedAlready: string;
  folded(result: { readonly lines: number; readonly size: string; readonly number: number }): string;
  /** For a call whose arguments are incomplete. */
  coming(characters: number): string;
  readonly ready: string;
  readonly waits: string;
  /** For a call whose sub-agent waits for a decision. */
  readonly delegated: string;
  /** The number of calls that a sub-agent has made. */
  callsMade(calls: number): string;
  /** A list of steps, on one line. */
  todos(done: number, all: number): string;
  readonly thinking: string;
  readonly stopped: string;
  readonly stopping: string;
  readonly recovered: string;
  readonly afterFailure: string;
  discarded(reason: string): string;
  queued(text: string): string;
  readonly givenBack: string;
  readonly onceMore: string;
  /** Below a message from another window or program. */
  readonly elsewhere: string;
  /** Another window or program runs the thread. */
  readonly owned: string;
  otherAgent(noted: string, agent: string): string;
  readonly notBegun: string;
  /** After a key without a meaning in a prompt. */
  readonly otherKey: string;
}

export interface StartTexts {
  /** Above the last messages of a thread. */
  earlier(messages: number, command: string): string;
  title(about: { readonly version: string; readonly agent: string; readonly model: string }): string;
  place(about: { readonly thread: string; readonly isNew: boolean; readonly store: string }): string;
  readonly demo: string;
  readonly pretend: string;
  readonly sentence: string;
  /** The same two texts for an agent with files. */
  readonly filesDemo: string;
  readonly filesSentence: string;
  /** The same two texts for a deep agent. */
  readonly deepDemo: string;
  readonly deepSentence: string;
  /** The directory of `--files`. */
  files(directory: string): string;
  readonly noFiles: Readonly<Record<DirectoryFault, (directory: string) => string>>;
  readonly keys: string;
  readonly noThreads: string;
  resume(command: string): string;
  readonly lost: string;
  /** Shown if threads cannot be stored in the folder. */
  readonly otherStore: string;
}

export interface ApprovalTexts {
  title(name: string, place: string): string;
  readonly noArguments: string;
  /** Lines of a diff that are left out, and how to see them. */
  moreLines(lines: number, call: string): string;
  readonly choices: Readonly<Record<ChoiceName, string>>;
  readonly reason: string;
  readonly answer: string;
  readonly line: string;
  scope(name: string): string;
  readonly scopes: Readonly<Record<AllowanceScope | "arguments", string>>;
  allowed(name: string, scope: string): string;
  later(calls: number): string;
  readonly none: string;
  elsewhere(name: string, state: string): string;
  expires(time: string): string;
  /** Why a call of another agent cannot be approved. */
  foreign(agent: string): string;
  /** A number that runs as a different number than written. */
  inexact(path: string, written: string, runs: string): string;
  readonly editing: string;
  readonly noEditor: string;
  badJson(fault: string): string;
  readonly notAnObject: string;
  readonly editAgain: string;
  /** Closes a prompt without a decision. */
  readonly back: string;
  /** After a key without a meaning. */
  readonly otherKey: string;
  readonly unchanged: string;
  refused(problem: string): string;
  waiting(calls: number): string;
  readonly sending: Readonly<Record<"cancel" | "keep" | "back", string>>;
}

export type ChoiceName = DecisionType | "always" | "all" | "reject-all" | "later";

export interface CommandTexts {
  readonly title: string;
  /** The summary of each command. */
  readonly summaries: Readonly<Record<CommandWord, string>>;
  readonly keys: readonly (readonly [keys: string, does: string])[];
  readonly keysTitle: string;
  unknown(word: string, near: string | undefined): string;
  readonly whileRunning: string;
  readonly nothingRuns: string;
  needs(usage: string): string;
  thread(id: string, isNew: boolean): string;
  readonly noThreads: string;
  readonly threadsHint: string;
  readonly statuses: Readonly<Record<"idle" | "running" | "waiting", string>>;
  noThread(id: string, near: string | undefined): string;
  ambiguous(id: string, ids: readonly string[]): string;
  noCall(word: string, calls: number): string;
  readonly arguments: string;
  readonly result: string;
  model(name: string): string;
  models(known: readonly string[]): string;
  forked(id: string): string;
  exported(path: string, format: string): string;
  exists(path: string): string;
  formats(known: readonly string[]): string;
  readonly nothingAllowed: string;
  allowed(about: {
    readonly number: number;
    readonly tool: string;
    readonly scope: AllowanceScope;
    readonly arguments: string | undefined;
  }): string;
  readonly revokeHint: string;
  revoked(tool: string): string;
  noAllowance(word: string): string;
  readonly language: string;
  /** The mode of the next messages. */
  mode(mode: RunMode): string;
  readonly modeOfThread: string;
}

export type CommandWord =
  | "help"
  | "new"
  | "threads"
  | "thread"
  | "pending"
  | "show"
  | "model"
  | "mode"
  | "retry"
  | "fork"
  | "export"
  | "allow"
  | "stop"
  | "language"
  | "quit";

/** The texts without a terminal. */
export interface PlainTexts {
  readonly noMessage: string;
  waiting(calls: number): string;
  readonly howToDecide: string;
  readonly notKept: string;
  /** Lines of a diff that are left out. */
  moreLines(lines: number): string;
  notSent(messages: number): string;
  badLine(line: number, fault: string): string;
  readonly lineForms: string;
  readonly nobody: string;
  /** For a result longer than a line. */
  folded(result: { readonly lines: number; readonly size: string }): string;
}
