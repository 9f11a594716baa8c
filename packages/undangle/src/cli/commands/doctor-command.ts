import type { Problem } from "#core";
import type { Fault, Opened } from "../input/open-document.ts";
import type { Document } from "../input/read-documents.ts";
import { sourceName, walkDocuments } from "../input/walk-documents.ts";
import type { Io } from "../io.ts";
import { judge } from "./check-command.ts";
import { doctorFooter, doctorReport } from "./doctor-report.ts";
import { isFault } from "./library.ts";
import { mendDocument } from "./mend-document.ts";
import type { Mended } from "./mend-document.ts";
import { countMessages } from "./count-messages.ts";
import { faultRecord, openSession, placeOf, refuseNothing, sourcesOf } from "./session.ts";
import type { Arguments, Session } from "./session.ts";
import { createTally } from "./tally.ts";

/** The diagnosis of a document. */
export interface Diagnosis {
  readonly file: string;
  readonly document: Document;
  readonly problems: readonly Problem[];
  readonly mended: Mended;
}

/** `undangle doctor`: the problems, where they are, their causes, and what a repair changes. */
export async function doctorCommand(args: Arguments, io: Io): Promise<number> {
  const session = openSession(args, io);
  const sources = sourcesOf(session);
  if (sources === undefined) return await refuseNothing(session);
  let exitCode = 0;
  for (const source of sources) exitCode = Math.max(exitCode, await examineSource(source, session));
  await session.out.flush();
  return exitCode;
}

/** The number of broken lines that are shown in full. */
const shownLines = 3;

async function examineSource(source: string, session: Session): Promise<0 | 1 | 2> {
  const { options, out } = session;
  const file = sourceName(source);
  const tally = createTally(file);
  for await (const { document, content } of walkDocuments(source, session)) {
    if (content === undefined) continue;
    const found = isFault(content) ? content : diagnose({ file, document, content }, session);
    if (isFault(found)) {
      tally.worsen(2);
      if (options.json === true) await out.write(`${JSON.stringify(faultRecord(file, document.line, found))}\n`);
      await session.complain(placeOf(file, document.line, found), found);
      continue;
    }
    tally.add(document.line !== undefined, { problems: found.problems, edits: found.mended.edits });
    if (found.problems.length > 0) tally.worsen(1);
    if (options.json === true) await out.write(`${JSON.stringify(asJson(found))}\n`);
    else if (isShown(found, tally.count.touched, options.quiet === true)) {
      await out.write(doctorReport(found, session));
    }
  }
  if (options.json !== true && options.quiet !== true && tally.count.documents > 0) {
    await out.write(doctorFooter(source, tally.count, session));
  }
  return tally.exitCode;
}

function isShown({ document, problems }: Diagnosis, touched: number, quiet: boolean): boolean {
  if (quiet) return false;
  return document.line === undefined || (problems.length > 0 && touched <= shownLines);
}

function diagnose(
  { file, document, content }: { readonly file: string; readonly document: Document; readonly content: Opened },
  session: Session,
): Diagnosis | Fault {
  const judged = judge(content, session);
  if (isFault(judged)) return judged;
  const mended = mendDocument(document, content, session);
  return isFault(mended) ? mended : { file, document, problems: judged.problems, mended };
}

function asJson({ file, document: { line }, problems, mended }: Diagnosis) {
  return {
    file,
    ...(line === undefined ? {} : { line }),
    format: mended.format,
    messages: countMessages(mended.opened.input, mended.format),
    problems,
    edits: mended.edits,
    left: mended.problems,
  };
}
