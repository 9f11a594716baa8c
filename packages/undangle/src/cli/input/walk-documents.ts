import { Buffer } from "node:buffer";
import type { Io } from "../io.ts";
import type { Options } from "../option-table.ts";
import type { Progress } from "../terminal/progress.ts";
import type { Texts } from "../texts/texts.ts";
import { openDocument } from "./open-document.ts";
import type { Fault, Opened } from "./open-document.ts";
import { readDocuments } from "./read-documents.ts";
import type { Document } from "./read-documents.ts";
import { isSystemError, systemFault } from "./system-fault.ts";

/** A document of a source, as a command receives it. */
export interface Visit {
  readonly document: Document;
  /** Undefined for a blank line, and for the rest of a line that is too long. */
  readonly content: Opened | Fault | undefined;
}

export interface WalkOptions {
  readonly io: Io;
  readonly options: Options;
  readonly texts: Texts;
  readonly progress: Progress;
}

/** Reads a file, or stdin for `-`, document by document. An unreadable source yields a fault. */
export async function* walkDocuments(
  operand: string,
  { io, options, texts, progress }: WalkOptions,
): AsyncGenerator<Visit, void, undefined> {
  let overlongLine: number | undefined;
  try {
    progress.begin(sourceName(operand), operand === "-" ? undefined : await io.files.size(operand));
    const chunks = operand === "-" ? io.stdin.read() : io.files.read(operand);
    const lines = options.lines ?? (/\.(?:jsonl|ndjson)$/i.test(operand) ? true : undefined);
    for await (const document of readDocuments(chunks, { lines, longest: io.longestText })) {
      await progress.advance(document.bytes.length);
      const isRest = document.overlong && document.line !== undefined && document.line === overlongLine;
      if (document.overlong) overlongLine = document.line;
      yield { document, content: isRest ? undefined : openDocument(document, options.at, texts) };
    }
    await progress.clear();
  } catch (error) {
    if (!isSystemError(error)) throw error;
    yield { document: nothing, content: systemFault(error, texts) };
  }
}

const nothing: Document = { bytes: Buffer.alloc(0), line: undefined, overlong: false };

/** The name of a source in messages. */
export const sourceName = (operand: string): string => (operand === "-" ? "stdin" : operand);
