import { randomUUID } from "node:crypto";

import { formats } from "#codecs";
import { errorText, isRecord, UndangleError } from "#core";
import type { Agent } from "#engine";

import { faultRecord, placeOf } from "../commands/session.ts";
import type { Fault, Opened } from "../input/open-document.ts";
import type { Document } from "../input/read-documents.ts";
import { sourceName, walkDocuments } from "../input/walk-documents.ts";
import { printable } from "../terminal/printable.ts";
import { nobody } from "./desk.ts";
import type { Desk } from "./desk.ts";

/** `undangle threads import`: imports histories of any format, and reports their unanswered calls. */
export async function importThreads(desk: Desk): Promise<number> {
  const { operands, options, texts, session, io } = desk;
  const sources = operands.length > 0 ? operands : io.stdin.isTTY ? [] : ["-"];
  if (sources.length === 0) return await desk.refuse(texts.noFile);
  if (options.id !== undefined && sources.length > 1) return await desk.refuse(texts.oneId(sources.length));
  const importer = createImporter(desk);
  const records: object[] = [];
  let failures = 0;
  let documents = 0;
  for (const source of sources) {
    for await (const { document, content } of walkDocuments(source, { ...session })) {
      if (content === undefined) continue; // a blank line
      documents += 1;
      if (options.id !== undefined && documents > 1) return await desk.refuse(texts.oneId(documents));
      const taken = content.type === "fault" ? content : await take(content, importer, desk);
      if ("type" in taken) {
        failures += 1;
        records.push(faultRecord(sourceName(source), document.line, taken));
        if (options.json !== true) await complain(source, document, taken, desk);
      } else {
        records.push({ file: sourceName(source), ...taken });
        if (options.json !== true) await tell(taken, desk);
      }
    }
  }
  if (options.json === true) await session.out.write(`${JSON.stringify(records)}\n`);
  return failures === 0 ? 0 : 1;
}

/** An imported thread. */
interface Taken {
  readonly id: string;
  readonly format: string | undefined;
  readonly entries: number;
  readonly edits: number;
  /** The calls without a result, and their outcomes. */
  readonly calls: readonly Unanswered[];
}

interface Unanswered {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  /** The notice for the model, unless the call is pending. */
  readonly told?: string;
}

async function take(
  { input }: Opened,
  importer: ReturnType<typeof createImporter>,
  desk: Desk,
): Promise<Taken | Fault> {
  const { options, store, language } = desk;
  const format = formats.find((each) => each === options.format);
  try {
    const id = options.id ?? (await freeId(input, desk));
    if (options.id !== undefined && (await store.load(id)) !== undefined)
      throw new UndangleError("thread/exists", { threadId: id });
    const thread = importer(input).thread(id);
    const imported = await thread.import(input, format === undefined ? {} : { format });
    const calls = (await thread.calls()).filter(({ status }) => status === "lost" || status === "awaiting");
    return {
      id,
      format: imported.format,
      entries: (await store.load(id))?.entries ?? 0,
      edits: imported.edits.length,
      calls: calls.map(({ id: call, name, status, error, result }) => {
        const told = error ?? result;
        return { id: call, name, status, ...(typeof told === "string" && { told }) };
      }),
    };
  } catch (error) {
    if (!isRefusal(error) || error.code.startsWith("store/")) throw error;
    const details = error.code.startsWith("format/") ? [desk.session.texts.tryFormat] : [];
    return { type: "fault", code: error.code, message: errorText(error, language), details };
  }
}

/**
 * Imports with the agent that will resume the thread, because its rules define the allowed decisions. It uses no model.
 */
function createImporter(desk: Desk): (input: unknown) => Agent {
  const agents = new Map<string | undefined, Agent>();
  return (input) => {
    const meta = isRecord(input) && "undangle" in input && isRecord(input["meta"]) ? input["meta"] : {};
    const { name, options } = desk.resolve({ meta });
    const agent = agents.get(name) ?? desk.hire({ ...options, model: nobody });
    agents.set(name, agent);
    return agent;
  };
}

const isRefusal = (error: unknown): error is UndangleError => error instanceof UndangleError;

/** An exported thread keeps its id if it is free. */
async function freeId(input: unknown, { store }: Desk): Promise<string> {
  const own = isRecord(input) && "undangle" in input ? input["id"] : undefined;
  if (typeof own === "string" && own !== "" && (await store.load(own)) === undefined) return own;
  return randomUUID();
}

async function tell({ id, calls, ...facts }: Taken, { texts, session }: Desk): Promise<void> {
  const lines = [
    texts.imported(printable(id), facts),
    ...calls.map((call) => {
      const name = printable(`${call.id} ${call.name}`);
      return call.told === undefined ? texts.awaiting(name) : texts.unanswered(name, printable(call.told));
    }),
  ];
  await session.out.write(`${lines.join("\n")}\n`);
}

const complain = (source: string, document: Document, fault: Fault, { session }: Desk): Promise<void> =>
  session.complain(placeOf(sourceName(source), document.line, fault), fault);
