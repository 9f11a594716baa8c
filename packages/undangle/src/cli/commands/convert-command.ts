import { formats } from "#codecs";
import type { Format } from "#codecs";
import type { Document } from "../input/read-documents.ts";
import type { Fault } from "../input/open-document.ts";
import { isSystemError, systemFault } from "../input/system-fault.ts";
import { sourceName, walkDocuments } from "../input/walk-documents.ts";
import type { Visit } from "../input/walk-documents.ts";
import type { Io, Replacement } from "../io.ts";
import { formatPath, joinPaths } from "../json/json-path.ts";
import { createSink } from "../terminal/sink.ts";
import type { Sink } from "../terminal/sink.ts";
import { printable } from "../terminal/text-width.ts";
import { convertDocument } from "./convert-document.ts";
import type { ConvertedDocument } from "./convert-document.ts";
import { describeProblem } from "./describe-place.ts";
import { isFault } from "./library.ts";
import { faultRecord, openSession, placeOf, refuseNothing, sourcesOf } from "./session.ts";
import type { Arguments, Session } from "./session.ts";
import { createTally } from "./tally.ts";
import type { Tally } from "./tally.ts";

/** `undangle convert`: writes the history in another format, and says what that cannot hold. */
export async function convertCommand(args: Arguments, io: Io): Promise<number> {
  const session = openSession(args, io);
  const sources = sourcesOf(session);
  if (sources === undefined) return await refuseNothing(session);
  const { to } = args.options;
  if (to === undefined) return await refuse(`--to is needed: --to ${formats.join("|")}`, io);
  const refused = await refusal(session, sources);
  if (refused !== undefined) return await refuse(refused, io);
  const [source = "-"] = sources;
  const exitCode = await convertSource(source, to, session);
  await session.out.flush();
  return exitCode;
}

async function refuse(why: string, io: Io): Promise<2> {
  await io.stderr.write(`undangle: ${why}\n`);
  return 2;
}

/** Why these arguments do not go together. */
async function refusal({ options: { output }, io }: Session, sources: readonly string[]): Promise<string | undefined> {
  if (sources.length > 1) return "one FILE is converted at a time.";
  const [source = "-"] = sources;
  if (output === undefined || output === "-" || source === "-") return undefined;
  return (await io.files.isSame(source, output)) ? "OUT is FILE itself; name another file." : undefined;
}

/** One source on its way into another format. */
interface Work {
  readonly file: string;
  readonly to: Format;
  readonly session: Session;
  readonly tally: Tally;
  /** Where the documents go; undefined where only the report is wanted. */
  readonly written: Sink | undefined;
  losses: number;
  /** The source itself could not be read, so that there is nothing to put in place. */
  failed: boolean;
}

async function convertSource(source: string, to: Format, session: Session): Promise<0 | 1 | 2> {
  const { options, io, texts, out } = session;
  const path = options.output === "-" ? undefined : options.output;
  let target: Replacement | undefined;
  const file = sourceName(source);
  const tally = createTally(file);
  try {
    target = path === undefined ? undefined : await io.files.replace(path, { keepBackup: false });
    const written = target === undefined ? (options.json === true ? undefined : out) : sinkTo(target);
    const work: Work = { file, to, session, tally, written, losses: 0, failed: false };
    for await (const visit of walkDocuments(source, session)) await convertOne(visit, work);
    await written?.flush();
    if (tally.count.documents > 0 && options.json !== true) {
      await session.remark(texts.converted(tally.count, to, work.losses));
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

async function convertOne({ document, content }: Visit, work: Work): Promise<void> {
  const { session, tally, written, to } = work;
  const { options, texts } = session;
  if (content === undefined) return await written?.write(document.bytes);
  const converted = isFault(content) ? content : convertDocument(document, content, { to, options, texts });
  if (isFault(converted)) {
    await fail(converted, work, document.line);
    if (document.line !== undefined) await written?.write(document.bytes);
    return;
  }
  tally.add(document.line !== undefined, converted);
  work.losses += converted.losses.length;
  if (converted.problems.length > 0) tally.worsen(1);
  if (options.json === true) await session.out.write(asJson(document, converted, work));
  else await report(asLines(document, converted, work), session);
  if (written !== undefined) for (const bytes of converted.bytes()) await written.write(bytes);
}

const report = async (lines: string, session: Session): Promise<void> =>
  lines === "" ? undefined : await session.remark(lines);

function asJson({ line }: Document, { from, root, losses, problems }: ConvertedDocument, work: Work): string {
  const { file, to, written } = work;
  const output = written === undefined ? { output: root } : {};
  return `${JSON.stringify({ file, ...(line === undefined ? {} : { line }), from, to, ...output, losses, problems })}\n`;
}

/** A line for each loss, and for each problem that is left; the places of those are in the output. */
function asLines({ line }: Document, { opened, losses, problems }: ConvertedDocument, work: Work): string {
  const { texts, paintError } = work.session;
  const place = printable(line === undefined ? work.file : `${work.file}:${line}`);
  const outer = formatPath(opened.path);
  const at = (path: string): string => printable(joinPaths(outer, path)) || ".";
  return [
    ...losses.map(({ path, what, why }) => {
      return `${place}: ${at(path)}: ${paintError("yellow", texts.loss)}: ${printable(`${what}: ${why}`)}\n`;
    }),
    ...problems.map((problem) => {
      const text = printable(describeProblem(problem, texts));
      return `${place}: ${at(problem.path)}: ${paintError("yellow", problem.rule)}: ${text}\n`;
    }),
  ].join("");
}

async function fail(fault: Fault, work: Work, line: number | undefined): Promise<void> {
  const { file, session, tally } = work;
  tally.worsen(2);
  if (line === undefined) work.failed = true;
  const details = line === undefined ? fault.details : [...fault.details, session.texts.passedOn];
  if (session.options.json === true) await session.out.write(`${JSON.stringify(faultRecord(file, line, fault))}\n`);
  await session.complain(placeOf(file, line, fault), { ...fault, details });
}

async function putInPlace(
  { session, failed }: Work,
  path: string | undefined,
  target: Replacement | undefined,
): Promise<void> {
  if (path === undefined || target === undefined) return;
  if (failed) return await target.discard();
  await target.commit();
  await session.remark(session.texts.written(path, undefined));
}
