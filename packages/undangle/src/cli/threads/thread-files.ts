import { Buffer } from "node:buffer";

import { canonicalPath, suggest } from "#core";
import type { FoundThread, Thread, ThreadFile } from "#engine";

import { decodeText } from "../input/decode-text.ts";
import type { OptionName } from "../option-table.ts";
import { flagOf } from "../option-table.ts";
import { grouped } from "../terminal/grouped.ts";
import { printable, printableLines } from "../terminal/printable.ts";
import { textWidth } from "../terminal/text-width.ts";
import { commandAbout } from "./again.ts";
import type { Desk } from "./desk.ts";

/** `undangle threads files`: lists the files of a thread, and reads, stores and deletes them. */
export async function threadFiles(desk: Desk): Promise<number> {
  const { options, texts, reader } = desk;
  const [id = "", given] = desk.operands;
  const wishes = (["output", "put", "delete"] as const).filter((name: OptionName) => options[name] !== undefined);
  if (wishes.length > 1) return await desk.refuse(texts.onlyOne(wishes.map(flagOf)));
  const [wish] = wishes;
  if (given === undefined && wish !== undefined) return await desk.refuse(texts.needsPath(flagOf(wish)));
  const found = await desk.find(id);
  const thread = reader.thread(id);
  if (given === undefined) return listFiles(thread, desk);
  const path = pathOf(given);
  const isChange = wish === "put" || wish === "delete";
  if (isChange && isUnfinished(found))
    return await desk.refuse(texts.unfinished(printable(id), commandAbout("recover", [id], options)));
  if (wish === "put") return putFile(thread, path, desk);
  const file = (await thread.files(path)).find((each) => each.path === path);
  if (file === undefined) return await desk.refuse(await unknownText(thread, path, desk));
  return wish === "delete" ? deleteFile(thread, path, desk) : readFile(thread, file, desk);
}

/** The canonical path. Throws `file/path` for one that cannot be used. */
function pathOf(given: string): string {
  const { path, error } = canonicalPath(given);
  if (error !== undefined) throw error;
  return path;
}

/** True if the next writer has to resume the thread, which needs its agent. */
const isUnfinished = ({ owner, deadline = Infinity }: FoundThread): boolean =>
  owner !== undefined || deadline <= Date.now();

async function listFiles(thread: Thread, { options, texts, session, io }: Desk): Promise<number> {
  const files = await thread.files();
  if (options.json === true) await session.out.write(`${JSON.stringify(files.map(factsOf))}\n`);
  else if (io.stdout.isTTY && files.length > 0) await session.out.write(tableOf(files, texts, session.paint));
  else
    for (const { path, size, modifiedAt } of files)
      await session.out.write(`${[printable(path), size, new Date(modifiedAt).toISOString()].join("\t")}\n`);
  if (files.length === 0) await session.remark(`${texts.noFiles}\n`);
  return 0;
}

const factsOf = ({ path, size, createdAt, modifiedAt }: ThreadFile) => ({
  path,
  size,
  createdAt: new Date(createdAt).toISOString(),
  modifiedAt: new Date(modifiedAt).toISOString(),
});

/** The paths are last and are never cut, so that they can be copied. */
function tableOf(files: readonly ThreadFile[], texts: Desk["texts"], paint: Desk["session"]["paint"]): string {
  const rows = files.map(({ path, size, modifiedAt }) => ({
    size: grouped(size),
    changed: texts.ago(Date.now() - modifiedAt),
    path: printable(path),
  }));
  const { fileColumns: head } = texts;
  const width = (column: "size" | "changed"): number =>
    Math.max(...[head, ...rows].map((row) => textWidth(row[column])));
  const [sizes, ages] = [width("size"), width("changed")];
  const right = (text: string, columns: number): string => " ".repeat(columns - textWidth(text)) + text;
  const facts = (row: typeof head): string => `${right(row.size, sizes)}  ${right(row.changed, ages)}`;
  return [
    paint("dim", `${facts(head)}  ${head.path}`),
    ...rows.map((row) => `${paint("dim", facts(row))}  ${paint("bold", row.path)}`),
  ]
    .map((line) => `${line}\n`)
    .join("");
}

async function readFile(thread: Thread, file: ThreadFile, desk: Desk): Promise<number> {
  const { options, texts, session, io, operands } = desk;
  const { path } = file;
  const content = Buffer.from((await thread.readFile(path)) ?? []);
  const { output } = options;
  if (output !== undefined && output !== "-") {
    const copy = await io.files.replace(output, { keepBackup: false });
    await copy.write(content);
    await copy.commit();
    await session.remark(session.texts.written(printable(output), undefined));
    return 0;
  }
  const text = content.includes(0) ? undefined : decodeText(content)?.text;
  if (options.json === true) {
    const shown = text === undefined ? { base64: content.toString("base64") } : { text };
    await session.out.write(`${JSON.stringify({ ...factsOf(file), ...shown })}\n`);
    return 0;
  }
  if (!io.stdout.isTTY) {
    await session.out.write(content);
    return 0;
  }
  if (text === undefined) {
    const command = commandAbout("files", operands, options, ["-o", "FILE"]);
    return await desk.refuse(texts.binaryFile(printable(path), command));
  }
  const lines = text.split("\t").map(printableLines).join("\t");
  await session.out.write(lines === "" || lines.endsWith("\n") ? lines : `${lines}\n`);
  return 0;
}

async function putFile(thread: Thread, path: string, { options, texts, session, io }: Desk): Promise<number> {
  const { put: source = "-" } = options;
  const chunks: Uint8Array[] = [];
  for await (const chunk of source === "-" ? io.stdin.read() : io.files.read(source)) chunks.push(chunk);
  const content = Buffer.concat(chunks);
  const isNew = !(await thread.files(path)).some((each) => each.path === path);
  await thread.writeFile(path, content);
  const told =
    options.json === true
      ? JSON.stringify({ path, size: content.length, created: isNew })
      : texts.fileStored(printable(path), content.length, isNew);
  await session.out.write(`${told}\n`);
  return 0;
}

async function deleteFile(thread: Thread, path: string, { options, texts, session }: Desk): Promise<number> {
  await thread.writeFile(path, null);
  const told = options.json === true ? JSON.stringify({ path, deleted: true }) : texts.fileDeleted(printable(path));
  await session.out.write(`${told}\n`);
  return 0;
}

async function unknownText(thread: Thread, path: string, { options, texts }: Desk): Promise<string> {
  const paths = (await thread.files()).map((file) => file.path);
  const nearest = suggest(path, paths);
  const command = commandAbout("files", [thread.id], options);
  return texts.unknownFile(printable(path), nearest === undefined ? undefined : printable(nearest), command);
}
