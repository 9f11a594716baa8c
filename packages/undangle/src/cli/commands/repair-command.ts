import { sourceName } from "../input/walk-documents.ts";
import type { Io } from "../io.ts";
import { mendDocument } from "./mend-document.ts";
import { repairReport } from "./repair-report.ts";
import { rewriteSource } from "./rewrite-source.ts";
import { openSession, refuseNothing, sourcesOf } from "./session.ts";
import type { Arguments, Session } from "./session.ts";

/** `undangle repair`: writes the repaired history. Everything else stays byte for byte the same. */
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

/** The reason why the arguments cannot be combined. */
async function refusal({ options, io }: Session, sources: readonly string[]): Promise<string | undefined> {
  const { output, inPlace } = options;
  if (inPlace === true && output !== undefined) return "-o and --in-place cannot be combined.";
  if (inPlace === true && sources.includes("-")) return "--in-place needs a FILE; stdin cannot be written back to.";
  if (inPlace !== true && sources.length > 1) return "several FILEs can be repaired at once only with --in-place.";
  const [source = "-"] = sources;
  if (output === undefined || output === "-" || source === "-") return undefined;
  return (await io.files.isSame(source, output))
    ? "OUT is the same file as FILE; use --in-place, which keeps a backup."
    : undefined;
}

async function repairSource(source: string, session: Session): Promise<0 | 1 | 2> {
  const { options, texts } = session;
  const inPlace = options.inPlace === true;
  return await rewriteSource(
    source,
    {
      path: inPlace ? source : options.output === "-" ? undefined : options.output,
      keepBackup: inPlace,
      rewrite: (document, content) => mendDocument(document, content, session),
      async report(document, mended, isWritten) {
        const report = repairReport({ file: sourceName(source), document, mended, session, withOutput: !isWritten });
        if (report !== "") await (options.json === true ? session.out.write(report) : session.remark(report));
      },
      summary: ({ count }) => (count.edits === 0 ? texts.nothingToMend(count) : texts.mended(count)),
      isWorthWriting: ({ count }) => !inPlace || count.edits > 0,
    },
    session,
  );
}
