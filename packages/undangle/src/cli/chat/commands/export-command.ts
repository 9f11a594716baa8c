import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";

import { formats } from "#codecs";

import { printFault, printRemark } from "../view/show-event.ts";
import type { Talk } from "./slash-command.ts";

/** `/export [FORMAT] [FILE]` writes the thread to a new file. */
export async function exportCommand({ desk, place, thread }: Talk, words: readonly string[]): Promise<void> {
  const known = ["undangle", "original", ...formats];
  const isFormat = known.some((format) => format === words[0]);
  const [name = "undangle", file] = isFormat ? words : [undefined, ...words];
  const as = [...formats, "original" as const].find((format) => format === name);
  const path = file ?? `${thread().id.replaceAll(/[^\w.-]/gu, "_")}${as === undefined ? "" : `.${as}`}.json`;
  if (words.length > (isFormat ? 2 : 1)) {
    desk.show((view, face) => printRemark(view, face.texts.commands.formats(known), face));
    return;
  }
  const value = as === undefined ? await thread().export() : await thread().export(as);
  try {
    await writeFile(resolve(place.folder, path), `${JSON.stringify(value, undefined, 2)}\n`, { flag: "wx" });
    desk.show((view, face) => printRemark(view, face.texts.commands.exported(path, name), face));
  } catch (error) {
    const isThere = error instanceof Error && "code" in error && error.code === "EEXIST";
    if (!isThere) throw error;
    desk.show((view, face) => printFault(view, face.texts.commands.exists(path), face));
  }
}
