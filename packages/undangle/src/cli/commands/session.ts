import { languageFor } from "#core";
import type { Language } from "#core";
import type { Fault } from "../input/open-document.ts";
import type { Io } from "../io.ts";
import type { Options } from "../option-table.ts";
import { palette, wantsColor } from "../terminal/palette.ts";
import type { Paint } from "../terminal/palette.ts";
import { createProgress } from "../terminal/progress.ts";
import type { Progress } from "../terminal/progress.ts";
import { createSink } from "../terminal/sink.ts";
import type { Sink } from "../terminal/sink.ts";
import { harmless, printable } from "../terminal/printable.ts";
import { textsIn } from "../texts/choose-texts.ts";
import type { Texts } from "../texts/texts.ts";

export interface Arguments {
  readonly operands: readonly string[];
  readonly options: Options;
}

/** One run of a command: its arguments, texts and outputs. */
export interface Session extends Arguments {
  readonly io: Io;
  readonly language: Language;
  readonly texts: Texts;
  readonly out: Sink;
  readonly progress: Progress;
  readonly paint: Paint;
  readonly paintError: Paint;
  /** Writes an informational text to stderr, unless --quiet is set. */
  remark(text: string): Promise<void>;
  /** Reports an error on stderr. */
  complain(place: string, fault: Fault): Promise<void>;
}

export function openSession({ operands, options }: Arguments, io: Io): Session {
  const language = languageFor(options.language, io.env);
  const refused = options.noColor === true;
  const texts = textsIn(language);
  const progress = createProgress(io, { texts, quiet: options.quiet === true });
  const colors = wantsColor(io.env, { isTTY: io.stdout.isTTY, refused });
  const sink = createSink({
    isTTY: io.stdout.isTTY,
    async write(data) {
      if (io.stdout.isTTY) await progress.clear();
      await io.stdout.write(data);
    },
  });
  const out: Sink = {
    ...sink,
    write: (data) => sink.write(typeof data === "string" ? harmless(data, { colors }) : data), // a sink writes only bytes
  };
  const paintError = palette(wantsColor(io.env, { isTTY: io.stderr.isTTY, refused }));
  const said = new Set<string>(); // advice is printed once, not for every line of a log
  const tell = async (text: string): Promise<void> => {
    await progress.clear();
    await out.flush(); // keeps the output in order
    await io.stderr.write(text);
  };
  return {
    operands,
    options,
    io,
    language,
    texts,
    out,
    progress,
    paint: palette(colors),
    paintError,
    remark: async (text) => (options.quiet === true ? undefined : tell(text)),
    async complain(place, { message, details }) {
      const news = details.filter((line) => !said.has(line));
      if (said.size < 100) for (const line of news) said.add(line);
      const lines = [
        `${paintError("red", "undangle:")} ${printable(place)}: ${printable(message)}`,
        ...news.map((line) => `  ${printable(line)}`),
      ];
      await tell(`${lines.join("\n")}\n`);
    },
  };
}

/** The files to read, or stdin; undefined without files and without a pipe. */
export function sourcesOf({ operands, io }: Pick<Session, "operands" | "io">): readonly string[] | undefined {
  if (operands.length > 0) return operands;
  return io.stdin.isTTY ? undefined : ["-"];
}

/** Reports that there is no input. */
export async function refuseNothing(
  { io, texts }: Pick<Session, "io" | "texts">,
  text: string = texts.noInput,
): Promise<2> {
  await io.stderr.write(`undangle: ${text}\n`);
  return 2;
}

/** An unreadable input as JSON. */
export function faultRecord(file: string, documentLine: number | undefined, { code, message, line }: Fault) {
  const at = documentLine ?? line;
  return { file, ...(at === undefined ? {} : { line: at }), error: { code, message } };
}

/** The place of a document, or of something in it: `FILE`, `FILE:LINE` or `FILE:LINE:COLUMN`. */
export function placeOf(file: string, documentLine: number | undefined, fault: Pick<Fault, "line" | "column">): string {
  const line = documentLine ?? fault.line;
  if (line === undefined) return file;
  return fault.column === undefined ? `${file}:${line}` : `${file}:${line}:${fault.column}`;
}
