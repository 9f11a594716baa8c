import { check } from "#codecs";
import type { Problem } from "#core";
import { sourceName, walkDocuments } from "../input/walk-documents.ts";
import type { Fault, Opened } from "../input/open-document.ts";
import type { Io } from "../io.ts";
import { printable } from "../terminal/printable.ts";
import { describeProblem, inReadingOrder, placeFinder } from "./describe-place.ts";
import type { Placed } from "./describe-place.ts";
import { openArray } from "./json-array.ts";
import type { JsonArray } from "./json-array.ts";
import { ask, checkOptions, isFault } from "./library.ts";
import { faultRecord, openSession, placeOf, refuseNothing, sourcesOf } from "./session.ts";
import type { Arguments, Session } from "./session.ts";
import { createTally } from "./tally.ts";

/** `undangle check`: lists what a provider would refuse, one problem per line. */
export async function checkCommand(args: Arguments, io: Io): Promise<number> {
  const session = openSession(args, io);
  const sources = sourcesOf(session);
  if (sources === undefined) return await refuseNothing(session);
  const array = args.options.json === true ? openArray(session.out) : undefined;
  let exitCode = 0;
  for (const source of sources) exitCode = Math.max(exitCode, await checkSource(source, session, array));
  await array?.end();
  await session.out.flush();
  return exitCode;
}

async function checkSource(source: string, session: Session, array: JsonArray | undefined): Promise<0 | 1 | 2> {
  const { texts, options } = session;
  const file = sourceName(source);
  const tally = createTally(file);
  for await (const { document, content } of walkDocuments(source, session)) {
    if (content === undefined) continue;
    const judged = isFault(content) ? content : judge(content, session);
    if (isFault(judged)) {
      tally.worsen(2);
      await reportFault(judged, file, document.line, { session, array });
      continue;
    }
    const { problems, opened } = judged;
    tally.add(document.line !== undefined, { problems });
    if (problems.length === 0) continue;
    tally.worsen(1);
    const find = placeFinder(opened, document.line);
    for (const problem of problems) await reportProblem(problem, find(problem.path), file, { session, array });
  }
  if (options.json === true || tally.count.documents === 0) return tally.exitCode;
  await session.remark(tally.count.problems === 0 ? texts.healthy(tally.count) : texts.found(tally.count));
  return tally.exitCode;
}

/** A document and its problems, in reading order. */
export interface Judged {
  readonly opened: Opened;
  readonly problems: readonly Problem[];
}

export function judge(opened: Opened, { options, texts }: Session): Judged | Fault {
  const problems = ask(opened, texts, (input) => check(input, checkOptions(options)));
  return isFault(problems) ? problems : { opened, problems: inReadingOrder(problems) };
}

interface Report {
  readonly session: Session;
  readonly array: JsonArray | undefined;
}

async function reportProblem(
  problem: Problem,
  { path, line }: Placed,
  file: string,
  { session, array }: Report,
): Promise<void> {
  const { options, out, paint, texts } = session;
  if (array !== undefined) return array.push({ file, line, ...problem, path });
  if (options.quiet === true) return;
  const place = paint("bold", `${printable(file)}:${line}:`);
  const text = printable(describeProblem(problem, texts));
  await out.write(`${place} ${printable(path) || "."}: ${paint("yellow", problem.rule)}: ${text}\n`);
}

async function reportFault(
  fault: Fault,
  file: string,
  line: number | undefined,
  { session, array }: Report,
): Promise<void> {
  await array?.push(faultRecord(file, line, fault));
  await session.complain(placeOf(file, line, fault), fault);
}
