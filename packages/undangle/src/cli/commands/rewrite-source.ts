import type { Edit, Problem } from "#core";
import type { Fault, Opened } from "../input/open-document.ts";
import type { Document } from "../input/read-documents.ts";
import { isSystemError, systemFault } from "../input/system-fault.ts";
import { sourceName, walkDocuments } from "../input/walk-documents.ts";
import type { Visit } from "../input/walk-documents.ts";
import type { Replacement } from "../io.ts";
import { createSink } from "../terminal/sink.ts";
import type { Sink } from "../terminal/sink.ts";
import { isFault } from "./library.ts";
import { faultRecord, placeOf } from "./session.ts";
import type { Session } from "./session.ts";
import { createTally } from "./tally.ts";
import type { Tally } from "./tally.ts";
import { printable } from "../terminal/printable.ts";

/** How a command rewrites the documents of a source. */
export interface Rewriting<Outcome extends Rewritten> {
  /** The output file; undefined for stdout. */
  readonly path: string | undefined;
  readonly keepBackup: boolean;
  rewrite(document: Document, content: Opened): Outcome | Fault;
  /** Reports the changes of a document. `isWritten` is true if the document itself is written. */
  report(document: Document, outcome: Outcome, isWritten: boolean): Promise<void>;
  summary(tally: Tally): string;
  /** False if the file can stay unchanged. */
  isWorthWriting(tally: Tally): boolean;
}

interface Rewritten {
  readonly problems: readonly Problem[];
  readonly edits?: readonly Edit[];
  readonly bytes: () => Iterable<Uint8Array>;
}

/** Reads the documents of a source one by one and writes the results. Returns the exit code. */
export async function rewriteSource<Outcome extends Rewritten>(
  source: string,
  rewriting: Rewriting<Outcome>,
  session: Session,
): Promise<0 | 1 | 2> {
  const { options, io, texts, out } = session;
  const { path, keepBackup } = rewriting;
  const file = sourceName(source);
  const tally = createTally(file);
  let target: Replacement | undefined;
  try {
    target = path === undefined ? undefined : await io.files.replace(path, { keepBackup });
    const written = target === undefined ? (options.json === true ? undefined : out) : sinkTo(target);
    const work: Work = { file, session, tally, written, failed: false };
    for await (const visit of walkDocuments(source, session)) await rewriteOne(visit, rewriting, work);
    await written?.flush();
    if (tally.count.documents > 0 && options.json !== true) await session.remark(rewriting.summary(tally));
    if (path === undefined || target === undefined) return tally.exitCode;
    if (work.failed || !rewriting.isWorthWriting(tally)) await target.discard();
    else {
      const { backup } = await target.commit();
      await session.remark(texts.written(printable(path), backup === undefined ? undefined : printable(backup)));
    }
  } catch (error) {
    await target?.discard();
    if (!isSystemError(error) || error.code === "EPIPE") throw error;
    await session.complain(path ?? "stdout", systemFault(error, texts)); // an unreadable source does not throw
    return 2;
  }
  return tally.exitCode;
}

/** A source and its target. */
interface Work {
  readonly file: string;
  readonly session: Session;
  readonly tally: Tally;
  /** The output; undefined if only the report is written. */
  readonly written: Sink | undefined;
  /** True if the source could not be read, so that the target stays unchanged. */
  failed: boolean;
}

const sinkTo = (target: Replacement): Sink => createSink({ isTTY: false, write: (data) => target.write(data) });

async function rewriteOne<Outcome extends Rewritten>(
  { document, content }: Visit,
  rewriting: Rewriting<Outcome>,
  work: Work,
): Promise<void> {
  const { tally, written } = work;
  if (content === undefined) return await written?.write(document.bytes);
  const outcome = isFault(content) ? content : rewriting.rewrite(document, content);
  if (isFault(outcome)) {
    await fail(outcome, work, document.line);
    if (document.line !== undefined) await written?.write(document.bytes);
    return;
  }
  tally.add(document.line !== undefined, outcome);
  if (outcome.problems.length > 0) tally.worsen(1);
  await rewriting.report(document, outcome, written !== undefined);
  if (written !== undefined) for (const bytes of outcome.bytes()) await written.write(bytes);
}

async function fail(fault: Fault, work: Work, line: number | undefined): Promise<void> {
  const { file, session, tally } = work;
  tally.worsen(2);
  if (line === undefined) work.failed = true;
  const details = line === undefined ? fault.details : [...fault.details, session.texts.passedOn];
  if (session.options.json === true) await session.out.write(`${JSON.stringify(faultRecord(file, line, fault))}\n`);
  await session.complain(placeOf(file, line, fault), { ...fault, details });
}
