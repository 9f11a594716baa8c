import { isSystemError, systemFault } from "../input/system-fault.ts";
import { sourceName, walkDocuments } from "../input/walk-documents.ts";
import type { Visit } from "../input/walk-documents.ts";
import type { Fault } from "../input/open-document.ts";
import type { Io, Replacement } from "../io.ts";
import { createSink } from "../terminal/sink.ts";
import type { Sink } from "../terminal/sink.ts";
import { isFault } from "./library.ts";
import { mendDocument } from "./mend-document.ts";
import { repairReport } from "./repair-report.ts";
import { faultRecord, openSession, placeOf, refuseNothing, sourcesOf } from "./session.ts";
import type { Arguments, Session } from "./session.ts";
import { createTally } from "./tally.ts";
import type { Tally } from "./tally.ts";

/** `undangle repair`: writes the mended history; what needs no edit stays byte for byte as it is. */
export async function repairCommand(args: Arguments, io: Io): Promise<number> {
  const session = openSession(args, io);
  const sources = sourcesOf(session);
  if (sources === undefined) return await refuseNothing(session);
  const refused = await refusal(session, sources);
  if (refused !== undefined) {
    await io.stderr.write(`undangle: ${refused}\n`);
    return 2;
  }
  let exitCode = 0;
  for (const source of sources) exitCode = Math.max(exitCode, await repairSource(source, session));
  await session.out.flush();
  return exitCode;
}

/** Why these arguments do not go together. */
async function refusal({ options, io }: Session, sources: readonly string[]): Promise<string | undefined> {
  const { output, inPlace } = options;
  if (inPlace === true && output !== undefined) return "-o and --in-place exclude each other.";
  if (inPlace === true && sources.includes("-")) return "--in-place needs a FILE; stdin cannot be written back to.";
  if (inPlace !== true && sources.length > 1) return "several FILEs can be mended at once only with --in-place.";
  const [source = "-"] = sources;
  if (output === undefined || output === "-" || source === "-") return undefined;
  return (await io.files.isSame(source, output))
    ? "OUT is FILE itself; --in-place does that, and keeps a backup."
    : undefined;
}

/** One source on its way to its target. */
interface Work {
  readonly file: string;
  readonly session: Session;
  readonly tally: Tally;
  /** Where the documents go; undefined where only the report is wanted. */
  readonly written: Sink | undefined;
  /** The source itself could not be read, so that there is nothing to put in place. */
  failed: boolean;
}

async function repairSource(source: string, session: Session): Promise<0 | 1 | 2> {
  const { options, io, texts, out } = session;
  const path = options.inPlace === true ? source : options.output === "-" ? undefined : options.output;
  let target: Replacement | undefined;
  const file = sourceName(source);
  const tally = createTally(file);
  try {
    target = path === undefined ? undefined : await io.files.replace(path, { keepBackup: options.inPlace === true });
    const written = target === undefined ? (options.json === true ? undefined : out) : sinkTo(target);
    const work: Work = { file, session, tally, written, failed: false };
    for await (const visit of walkDocuments(source, session)) await repairOne(visit, work);
    await written?.flush();
    if (tally.count.documents > 0 && options.json !== true) {
      await session.remark(tally.count.edits === 0 ? texts.nothingToMend(tally.count) : texts.mended(tally.count));
    }
    await putInPlace(work, path, target);
  } catch (error) {
    await target?.discard();
    if (!isSystemError(error) || error.code === "EPIPE") throw error;
    await session.complain(path ?? "stdout", systemFault(error, texts)); // a source that cannot be read is not thrown
    return 2;
  }
  return tally.exitCode;
}

const sinkTo = (target: Replacement): Sink => createSink({ isTTY: false, write: (data) => target.write(data) });

async function repairOne({ document, content }: Visit, work: Work): Promise<void> {
  const { file, session, tally, written } = work;
  if (content === undefined) return await written?.write(document.bytes);
  const mended = isFault(content) ? content : mendDocument(document, content, session);
  if (isFault(mended)) {
    await fail(mended, work, document.line);
    if (document.line !== undefined) await written?.write(document.bytes);
    return;
  }
  tally.add(document.line !== undefined, mended);
  if (mended.problems.length > 0) tally.worsen(1);
  const report = repairReport({ file, document, mended, session, withOutput: written === undefined });
  if (report !== "") await (session.options.json === true ? session.out.write(report) : session.remark(report));
  if (written !== undefined) for (const bytes of mended.bytes()) await written.write(bytes);
}

async function fail(fault: Fault, work: Work, line: number | undefined): Promise<void> {
  const { file, session, tally } = work;
  tally.worsen(2);
  if (line === undefined) work.failed = true;
  const details = line === undefined ? fault.details : [...fault.details, session.texts.passedOn];
  if (session.options.json === true) await session.out.write(`${JSON.stringify(faultRecord(file, line, fault))}\n`);
  await session.complain(placeOf(file, line, fault), { ...fault, details });
}

async function putInPlace(work: Work, path: string | undefined, target: Replacement | undefined): Promise<void> {
  const { session, tally, failed } = work;
  if (path === undefined || target === undefined) return;
  const healthy = session.options.inPlace === true && tally.count.edits === 0;
  if (failed || healthy) return await target.discard();
  const { backup } = await target.commit();
  await session.remark(session.texts.written(path, backup));
}
