import type { Entry, PortableThread } from "#engine";

import { printable } from "../terminal/printable.ts";
import { textWidth } from "../terminal/text-width.ts";
import { commandsToDecide, pendingText } from "./again.ts";
import type { Desk } from "./desk.ts";
import { describeThread } from "./list-threads.ts";
import { transcript } from "./transcript.ts";

/** `undangle threads show`: prints the messages of a thread, its calls and their outcomes. */
export async function showThread(desk: Desk): Promise<number> {
  const { options, texts, session, reader, io } = desk;
  const [id = ""] = desk.operands;
  const head = await desk.find(id);
  const thread = reader.thread(id);
  const exported = await thread.export(); // refuses a deleted thread
  const [calls, pending, facts] = [await thread.calls(), await thread.pending(), await describeThread(head, desk)];
  if (options.json === true) {
    await session.out.write(`${JSON.stringify({ ...facts, messages: entriesOf(exported), calls })}\n`);
    return 0;
  }
  const { paint } = session;
  const columns = io.stdout.isTTY ? Math.max(20, io.stdout.columns - 1) : Infinity;
  const state = `${texts.statuses[facts.status]} · ${texts.ago(Date.now() - Date.parse(facts.updatedAt))}`;
  const name = printable(id);
  const room = columns === Infinity ? 2 : columns - textWidth(name) - textWidth(state);
  await session.out.write(`${paint("bold", name)}${room < 2 ? "\n" : " ".repeat(room)}${paint("dim", state)}\n`);
  const lines = transcript(
    { entries: entriesOf(exported), calls, queue: exported.queue as readonly Entry[] }, // the engine writes this type
    { texts, paint, columns, isFull: options.full === true },
  );
  for (const line of lines) await session.out.write(`${line}\n`);
  if (pending.length > 0)
    await session.out.write(
      `\n${texts.waiting(
        pending.map(pendingText),
        commandsToDecide(id, pending[0]?.id ?? "all", { options, texts }),
      )}\n`,
    );
  return 0;
}

/** The entries that the engine has just exported. */
const entriesOf = ({ entries }: PortableThread): readonly Entry[] => entries.map(({ entry }) => entry as Entry);
