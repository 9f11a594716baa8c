import { Buffer } from "node:buffer";

import { printable } from "../terminal/printable.ts";
import { commandAbout } from "./again.ts";
import type { Desk } from "./desk.ts";

/** `undangle threads delete`: marks threads as deleted, and prints how to restore them. --purge removes them. */
export async function deleteThreads(desk: Desk): Promise<number> {
  const { operands, options, texts, session, reader, io } = desk;
  for (const id of operands) await desk.find(id); // an unknown id is reported before anything changes
  const purge = options.purge === true;
  const hasPerson = io.stdin.isTTY && io.stderr.isTTY;
  if (purge && !hasPerson && options.yes !== true) return await desk.refuse(texts.purgeNeedsYes);
  if (hasPerson && options.yes !== true && !(await agrees(desk))) {
    await session.remark(`${texts.kept}\n`);
    return 0;
  }
  const deleted: string[] = [];
  for (const id of operands) if (await reader.delete(id, { purge })) deleted.push(id);
  const done = (id: string): string => (purge ? texts.purged(id) : texts.deleted(id));
  await report(desk, (id) => (deleted.includes(id) ? done(id) : texts.deletedAlready(id)), {
    key: purge ? "purged" : "deleted",
    changed: deleted,
  });
  if (deleted.length > 0 && !purge && options.json !== true)
    await session.remark(`${texts.undo(commandAbout("restore", deleted, options))}\n`);
  return 0;
}

/** `undangle threads restore`: removes the mark. */
export async function restoreThreads(desk: Desk): Promise<number> {
  const { operands, texts, reader } = desk;
  for (const id of operands) await desk.find(id);
  const restored: string[] = [];
  for (const id of operands) if (await reader.restore(id)) restored.push(id);
  await report(desk, (id) => (restored.includes(id) ? texts.restored(id) : texts.notDeleted(id)), {
    key: "restored",
    changed: restored,
  });
  return 0;
}

async function report(
  { operands, options, session }: Desk,
  told: (id: string) => string,
  { key, changed }: { readonly key: string; readonly changed: readonly string[] },
): Promise<void> {
  if (options.json === true) {
    const records = operands.map((id) => ({ id, [key]: changed.includes(id) }));
    await session.out.write(`${JSON.stringify(records)}\n`);
    return;
  }
  for (const id of operands) await session.out.write(`${printable(told(id))}\n`);
}

/** Asks for confirmation. Anything but yes means no. */
async function agrees({ operands, options, texts, io }: Desk): Promise<boolean> {
  const ids = operands.map(printable);
  await io.stderr.write(options.purge === true ? texts.confirmPurge(ids) : texts.confirm(ids));
  const pieces: Uint8Array[] = [];
  for await (const piece of io.stdin.read()) {
    pieces.push(piece);
    if (Buffer.from(piece).includes(0x0a)) break;
  }
  return /^\s*(?:y|yes|是|好)\s*$/iu.test(Buffer.concat(pieces).toString("utf8").split("\n")[0] ?? "");
}
