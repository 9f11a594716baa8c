import { Buffer } from "node:buffer";
import { resolve } from "node:path";

import { errorText, UndangleError } from "#core";
import { chat } from "../chat/chat.ts";
import { directoryFault } from "../chat/chat-files.ts";
import { chatTextsIn, createManner } from "../chat/manner.ts";
import type { Manner } from "../chat/manner.ts";
import { findThread, openAgentIn, openPlace } from "../chat/open-chat.ts";
import type { FoundThread, Place } from "../chat/open-chat.ts";
import { chatInJson } from "../chat/plain/json-chat.ts";
import { chatInLines } from "../chat/plain/line-chat.ts";
import { decodeText } from "../input/decode-text.ts";
import { complaint } from "../terminal/complaint.ts";
import { printable } from "../terminal/printable.ts";
import type { Io } from "../io.ts";
import { openSession } from "./session.ts";
import type { Arguments, Session } from "./session.ts";

/** `undangle chat`: runs a chat at a terminal, in lines, or with a program in JSON. */
export async function chatCommand(args: Arguments, io: Io): Promise<number> {
  const session = openSession(args, io);
  try {
    return await talk(session);
  } catch (error) {
    if (!(error instanceof UndangleError)) throw error;
    const { otherStore } = chatTextsIn(session.language).start;
    const advice = error.is("store/path") && args.options.store === undefined ? [otherStore] : [];
    await io.stderr.write(complaint([errorText(error, session.language), ...advice].join("\n"), io.stderr));
    return 2;
  }
}

async function talk(session: Session): Promise<number> {
  const { options, operands, io } = session;
  if (options.files !== undefined) {
    const directory = resolve(io.folder, options.files);
    const fault = await directoryFault(directory);
    if (fault !== undefined) {
      const { start } = chatTextsIn(session.language);
      await io.stderr.write(complaint(printable(start.noFiles[fault](directory)), io.stderr));
      return 2;
    }
  }
  const by = [io.env["USER"], io.env["LOGNAME"], io.env["USERNAME"]].find((name) => (name ?? "") !== "");
  const manner = createManner({
    language: session.language,
    isAsked: options.language !== undefined,
    paint: session.paint,
    mode: options.mode,
    by,
  });
  const place = await openPlace(options, { folder: io.folder, env: io.env });
  try {
    const found = options.thread === undefined ? undefined : await find(options.thread, place, manner);
    const { start, commands } = manner.texts();
    if (found !== undefined && "ambiguous" in found) {
      await io.stderr.write(complaint(printable(commands.ambiguous(found.ambiguous, found.ids)), io.stderr));
      return 2;
    }
    const isMissing = found !== undefined && "missing" in found;
    const named = isMissing && found.missing !== "last" ? found.missing : undefined; // an id that the user chose
    const thread = isMissing ? named : found?.id;
    const remark = isMissing && named === undefined ? start.noThreads : undefined;
    const { terminal } = io;
    const beginning = { place, manner, thread, remark, message: await messageOf(operands, io) };
    if (terminal !== undefined && options.json !== true) return await chat(beginning, io, terminal);
    return await (options.json === true ? chatInJson : chatInLines)(beginning, io);
  } finally {
    await place.store.close();
  }
}

/** Finds the requested thread with the agent. */
async function find(asked: string, place: Place, manner: Manner): Promise<FoundThread> {
  const agent = openAgentIn(place, manner);
  try {
    return await findThread(place.store, asked, agent);
  } finally {
    await agent.agent.close();
  }
}

/** The message of the operands, with stdin in place of a dash; undefined without operands. */
async function messageOf(operands: readonly string[], io: Io): Promise<string | undefined> {
  if (operands.length === 0) return undefined;
  if (!operands.includes("-")) return operands.join(" ");
  const chunks: Uint8Array[] = [];
  for await (const chunk of io.stdin.read()) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  const piped = decodeText(bytes)?.text ?? bytes.toString("utf8");
  return operands
    .map((word) => (word === "-" ? piped : word))
    .join("\n\n")
    .trim();
}
