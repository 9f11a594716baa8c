import { formats } from "#codecs";
import type { Format } from "#codecs";
import { formatPath, joinPaths } from "#report";
import type { Document } from "../input/read-documents.ts";
import { sourceName } from "../input/walk-documents.ts";
import type { Io } from "../io.ts";
import { printable } from "../terminal/printable.ts";
import { convertDocument } from "./convert-document.ts";
import type { ConvertedDocument } from "./convert-document.ts";
import { describeProblem } from "./describe-place.ts";
import { rewriteSource } from "./rewrite-source.ts";
import { openSession, refuseNothing, sourcesOf } from "./session.ts";
import type { Arguments, Session } from "./session.ts";

/** `undangle convert`: writes the history in another format, and lists the losses. */
export async function convertCommand(args: Arguments, io: Io): Promise<number> {
  const session = openSession(args, io);
  const sources = sourcesOf(session);
  if (sources === undefined) return await refuseNothing(session);
  const { to } = args.options;
  if (to === undefined) return await refuse(`--to is required: --to ${formats.join("|")}`, io);
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

/** The reason why the arguments cannot be combined. */
async function refusal({ options: { output }, io }: Session, sources: readonly string[]): Promise<string | undefined> {
  if (sources.length > 1) return "only one FILE can be converted at a time.";
  const [source = "-"] = sources;
  if (output === undefined || output === "-" || source === "-") return undefined;
  return (await io.files.isSame(source, output)) ? "OUT is the same file as FILE; choose another file." : undefined;
}

async function convertSource(source: string, to: Format, session: Session): Promise<0 | 1 | 2> {
  const { options, texts } = session;
  const file = sourceName(source);
  let losses = 0;
  return await rewriteSource(
    source,
    {
      path: options.output === "-" ? undefined : options.output,
      keepBackup: false,
      rewrite: (document, content) => convertDocument(document, content, { to, options, texts }),
      async report(document, converted, isWritten) {
        losses += converted.losses.length;
        if (options.json === true) await session.out.write(asJson(document, converted, { file, to, isWritten }));
        else {
          const lines = asLines(document, converted, file, session);
          if (lines !== "") await session.remark(lines);
        }
      },
      summary: ({ count }) => texts.converted(count, to, losses),
      isWorthWriting: () => true,
    },
    session,
  );
}

/** The source of a document, and whether its output is written. */
interface Told {
  readonly file: string;
  readonly to: Format;
  readonly isWritten: boolean;
}

function asJson({ line }: Document, { from, root, losses, problems }: ConvertedDocument, told: Told): string {
  const { file, to, isWritten } = told;
  const output = isWritten ? {} : { output: root };
  return `${JSON.stringify({ file, ...(line === undefined ? {} : { line }), from, to, ...output, losses, problems })}\n`;
}

/** One line per loss and per remaining problem. Paths of problems refer to the output. */
function asLines(
  document: Document,
  { opened, losses, problems }: ConvertedDocument,
  file: string,
  session: Session,
): string {
  const { texts, paintError } = session;
  const place = printable(document.line === undefined ? file : `${file}:${document.line}`);
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
