import type { Language } from "#core";
import type { CallState, DecisionType, RunStatus } from "#engine";
import type { ThreadStatus } from "#store";

import { threadsChinese } from "./chinese.ts";
import { threadsEnglish } from "./english.ts";

/** The texts of `undangle threads`. */
export interface ThreadsTexts {
  unknownAction(name: string | undefined, nearest: string | undefined, known: readonly string[]): string;
  needsId(action: string): string;
  readonly seeList: string;
  tooMany(action: string, rest: readonly string[]): string;
  notIts(action: string, option: string, allowed: readonly string[]): string;
  notCount(value: string): string;

  /** The column headings of the table. */
  readonly columns: Readonly<Record<"id" | "status" | "changed" | "entries" | "title", string>>;
  readonly statuses: Readonly<Record<ThreadStatus | "deleted", string>>;
  /** A short age. */
  ago(milliseconds: number): string;
  readonly none: string;
  /** All threads are deleted. */
  noneLeft(command: string): string;
  readonly noneFound: string;
  more(limit: number): string;

  readonly roles: Readonly<
    Record<"input" | "engine" | "answer" | "system" | "original" | "retract" | "restore", string>
  >;
  readonly states: Readonly<Record<CallState | "unanswered", string>>;
  readonly reasoning: string;
  readonly media: string;
  folded(lines: number, characters: number): string;
  decided(decision: {
    readonly type: DecisionType;
    readonly by: string | undefined;
    readonly reason: string | undefined;
  }): string;
  readonly allowed: string;
  inexact(path: string, written: string, runs: string): string;
  original(format: string): string;
  retracted(from: number): string;
  toldAgain(retraction: number): string;
  queued(text: string): string;
  /** A placeholder in a command. */
  readonly reason: string;
  waiting(calls: readonly string[], commands: readonly string[]): string;

  imported(
    id: string,
    facts: { readonly format: string | undefined; readonly entries: number; readonly edits: number },
  ): string;
  /** A call without a result, and its notice for the model. */
  unanswered(call: string, told: string): string;
  awaiting(call: string): string;
  oneId(count: number): string;
  readonly noFile: string;

  nothingLeft: string;
  atWork(id: string): string;
  settled(id: string, isDone: boolean): string;
  expired(id: string, isDone: boolean): string;
  left(id: string): string;
  wentOn(id: string, status: RunStatus): string;
  readonly goOn: string;
  failed(id: string, why: string): string;

  /** The column headings of the table of files. */
  readonly fileColumns: Readonly<Record<"size" | "changed" | "path", string>>;
  readonly noFiles: string;
  unknownFile(path: string, nearest: string | undefined, command: string): string;
  needsPath(option: string): string;
  onlyOne(options: readonly string[]): string;
  /** A file that is not text, at a terminal. */
  binaryFile(path: string, command: string): string;
  /** A run of the thread has not ended, or an approval has expired. */
  unfinished(id: string, command: string): string;
  fileStored(path: string, bytes: number, isNew: boolean): string;
  fileDeleted(path: string): string;

  confirm(ids: readonly string[]): string;
  confirmPurge(ids: readonly string[]): string;
  readonly purgeNeedsYes: string;
  purged(id: string): string;
  readonly kept: string;
  deleted(id: string): string;
  deletedAlready(id: string): string;
  restored(id: string): string;
  notDeleted(id: string): string;
  undo(command: string): string;

  nothingDecided(calls: readonly string[]): string;
  unknownCall(call: string, nearest: string | undefined, waiting: readonly string[]): string;
  twice(call: string): string;
  readonly demo: string;
  unknownTools(tools: readonly string[], agent: string | undefined): string;
  ended(status: RunStatus): string;
  runFailed(message: string): string;
}

export const threadsTextsIn = (language: Language): ThreadsTexts =>
  language === "zh" ? threadsChinese : threadsEnglish;
