import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from "node:fs";

/** What really happened, as it was written down the moment it did: the truth that a thread is held against. */
export type DiaryLine = ThreadLine | ProcessLine;

/** Of a thread. */
export type ThreadLine =
  | {
      readonly type: "start";
      readonly thread: string;
      readonly tool: string;
      readonly call: string;
      readonly key: string;
      readonly args: unknown;
    }
  | {
      readonly type: "end";
      readonly thread: string;
      readonly tool: string;
      readonly call: string;
      readonly result: string;
    }
  /** The person is about to decide. */
  | { readonly type: "decide"; readonly thread: string; readonly call: string; readonly decision: string }
  /** The person was asked about a call. */
  | { readonly type: "asked"; readonly thread: string; readonly call: string }
  /** The person was told that the decision is taken. */
  | { readonly type: "decided"; readonly thread: string; readonly call: string; readonly decision: string }
  /** The model was asked for the turn with this number. */
  | { readonly type: "request"; readonly thread: string; readonly turn: number }
  /** Somebody who listens was told how a call ended. */
  | { readonly type: "heard"; readonly thread: string; readonly call: string; readonly status: string }
  /** A run ended in a way that nobody asked for. */
  | { readonly type: "fault"; readonly thread: string; readonly code: string; readonly message: string };

/** Of a process. */
export type ProcessLine =
  /** The store could not be written, and is tried again. */
  | { readonly type: "wait"; readonly code: string }
  /** It dies, or stands still, here. */
  | { readonly type: "failpoint"; readonly point: string };

/** Writes a line that outlives the process. */
export function writeLine(path: string, line: DiaryLine): void {
  const file = openSync(path, "a");
  writeSync(file, `${JSON.stringify(line)}\n`);
  fsyncSync(file);
  closeSync(file);
}

/** All lines so far. */
export function readDiary(path: string): readonly DiaryLine[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, "utf8").split("\n").slice(0, -1);
  return lines.map((line) => JSON.parse(line) as DiaryLine); // nobody else writes to it
}
