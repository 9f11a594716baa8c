import { Buffer } from "node:buffer";
import { assemble, detectStream, endMarker, isEndMarkerEvent, streamEvents, streamFormats } from "#codecs";
import type { AssembleOptions, StreamEvent, StreamFormat } from "#codecs";
import type { AssembledTurn, StreamPart } from "#core";
import { decodeText } from "../input/decode-text.ts";
import type { Fault } from "../input/open-document.ts";
import { isSystemError, systemFault } from "../input/system-fault.ts";
import { sourceName } from "../input/walk-documents.ts";
import type { Io } from "../io.ts";
import { assembleReport, traceReport } from "./assemble-report.ts";
import { isFault } from "./library.ts";
import { faultRecord, openSession, refuseNothing, sourcesOf } from "./session.ts";
import type { Arguments, Session } from "./session.ts";

export interface Assembled {
  readonly file: string;
  readonly format: StreamFormat;
  readonly frames: readonly TracedFrame[];
  /** The parts after the last frame, from the end of the stream. */
  readonly ending: readonly StreamPart[];
  readonly turns: readonly AssembledTurn[];
}

/** A frame and its parts. */
export interface TracedFrame extends StreamEvent {
  /** Counted from 0, as in anomalies. */
  readonly number: number;
  readonly parts: StreamPart[];
}

/** `undangle assemble`: turns a captured stream into a turn and its anomalies. */
export async function assembleCommand(args: Arguments, io: Io): Promise<number> {
  const session = openSession(args, io);
  const { options, out } = session;
  const sources = sourcesOf(session);
  if (sources === undefined) return await refuseNothing(session);
  const refused = refusal(session, sources);
  if (refused !== undefined) {
    await io.stderr.write(`undangle: ${refused}\n`);
    return 2;
  }
  const [source = "-"] = sources;
  const file = sourceName(source);
  const captured = await capture(source, session);
  if (isFault(captured)) {
    if (options.json === true) await out.write(`${JSON.stringify(faultRecord(file, undefined, captured))}\n`);
    await session.complain(file, captured);
    await out.flush();
    return 2;
  }
  const { text, format } = captured;
  const assembled = await trace(file, text, { format, ...libraryOptions(session) });
  if (options.json === true) await out.write(`${JSON.stringify(asJson(assembled, options.trace === true))}\n`);
  else if (options.quiet !== true) {
    if (options.trace === true) await out.write(traceReport(assembled, session));
    await out.write(assembleReport(assembled, session));
  }
  await out.flush();
  return assembled.turns.every(isReady) ? 0 : 1;
}

/** True if the turn is complete and all of its calls are ready. */
const isReady = ({ complete, calls }: AssembledTurn): boolean =>
  complete && calls.every(({ state }) => state === "ready");

/** The reason why the arguments cannot be combined. */
function refusal({ options }: Session, sources: readonly string[]): string | undefined {
  if (sources.length > 1) return "only one FILE can be assembled at a time.";
  if (options.recoverLeaked === true && options.tools === undefined) {
    return "--recover-leaked needs --tools: only calls of known tools are recovered.";
  }
  return undefined;
}

function libraryOptions({ options }: Session): Omit<AssembleOptions, "format"> {
  const tools = options.tools
    ?.split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  return { tools, lenientArguments: options.lenient === true, recoverLeaked: options.recoverLeaked === true };
}

async function readText(source: string, { io, texts, progress }: Session): Promise<string | Fault> {
  const held: Uint8Array[] = [];
  let length = 0;
  try {
    progress.begin(sourceName(source), source === "-" ? undefined : await io.files.size(source));
    for await (const chunk of source === "-" ? io.stdin.read() : io.files.read(source)) {
      held.push(chunk);
      length += chunk.length;
      if (length > io.longestText) {
        return { type: "fault", code: "input/too-long", message: texts.assemble.tooLong, details: [] };
      }
    }
    await progress.clear();
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return systemFault(error, texts);
  }
  const bytes = Buffer.concat(held);
  return decodeText(bytes)?.text ?? bytes.toString("utf8"); // a truncated stream may end inside a character
}

/** The text of a source, and its given or detected format. */
async function capture(
  source: string,
  session: Session,
): Promise<{ readonly text: string; readonly format: StreamFormat } | Fault> {
  const { options, texts } = session;
  const text = await readText(source, session);
  if (isFault(text)) return text;
  const given = streamFormats.find((format) => format === options.format); // the parser has checked it
  const format = given ?? detectStream(text);
  if (format !== undefined) return { text, format };
  const isEmpty = text.trim() === "";
  const message = texts.assemble.unknownFormat(isEmpty);
  return { type: "fault", code: "format/unknown", message, details: isEmpty ? [] : [texts.assemble.tryFormat] };
}

/** Assembles a stream frame by frame and records the parts of each. Chunk boundaries do not matter. */
async function trace(file: string, text: string, options: AssembleOptions): Promise<Assembled> {
  const frames = streamEvents(text).map((event, number): TracedFrame => ({ ...event, number, parts: [] }));
  const ending: StreamPart[] = [];
  let parts = ending;
  const stream = assemble(
    (function* () {
      for (const frame of frames) {
        parts = frame.parts;
        yield asText(frame);
      }
      parts = ending;
      if (isEndMarkerEvent(text)) yield endMarker; // it is not a frame
    })(),
    options,
  );
  for await (const part of stream) parts.push(part);
  return { file, format: options.format, frames, ending, turns: await stream.turns() };
}

const asText = ({ data, event }: StreamEvent): string =>
  `${event === undefined ? "" : `event: ${event}\n`}${data.replaceAll(/^/gmu, "data: ")}\n\n`;

function asJson({ file, format, frames, ending, turns }: Assembled, isTraced: boolean) {
  const traced = frames.map(({ number, event, data, parts }) => ({ number, event, data, parts: parts.map(asData) }));
  return { file, format, turns, ...(isTraced && { frames: traced, ending: ending.map(asData) }) };
}

/** A part as data, without its turn. */
function asData(part: StreamPart): unknown {
  if (part.type === "call-delta") return { ...part, preview: undefined };
  return part.type === "finish" ? { ...part, turn: undefined } : part;
}
