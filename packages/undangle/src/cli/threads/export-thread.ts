import { Buffer } from "node:buffer";

import { formats } from "#codecs";

import type { Desk } from "./desk.ts";
import { printable } from "../terminal/printable.ts";

/** `undangle threads export`: writes a thread as JSON, in any format. */
export async function exportThread(desk: Desk): Promise<number> {
  const { options, session, reader, io } = desk;
  const [id = ""] = desk.operands;
  await desk.find(id);
  const thread = reader.thread(id);
  const asked: string = options.format ?? "undangle";
  const format = formats.find((each) => each === asked);
  const value: unknown =
    asked === "original"
      ? await thread.export("original")
      : await (format === undefined ? thread.export() : thread.export(format));
  const text = `${JSON.stringify(value, null, 2)}\n`;
  const { output } = options;
  if (output === undefined || output === "-") {
    await session.out.write(text);
    return 0;
  }
  const file = await io.files.replace(output, { keepBackup: false });
  await file.write(Buffer.from(text));
  await file.commit();
  await session.remark(session.texts.written(printable(output), undefined));
  return 0;
}
