import { UndangleError } from "#core";
import { file, image } from "#engine";
import type { AnyTool } from "#engine";
import { isWithin, splitLines } from "#files";

import type { FileAccess } from "./file-access.ts";
import { fileTool } from "./file-tool.ts";
import type { ArgumentsOfTool, FileTooling, FileToolParts } from "./file-tool.ts";
import { hashOf } from "./filesystem-state.ts";
import { decodeText } from "./edit-text.ts";
import { endsOfPage } from "./line-ends.ts";
import { countCharacters, pageOf } from "./numbered-lines.ts";

/** Reserved for the notices of a page. */
const noticeLength = 600;

/** `read_file`. */
export function readTool(tooling: FileTooling): AnyTool {
  const run: FileToolParts<"read_file">["run"] = async (args, access, context) => {
    const path = await access.path(args.file_path, "read");
    const data = await read(path, access, tooling);
    if (tooling.mustRead) tooling.own(context).update({ type: "read", path, hash: hashOf(data) });
    if (data.length === 0) return access.texts.emptyFile(path);
    const mediaType = mediaTypeOf(path);
    if (mediaType !== undefined) return mediaOf(path, data, { mediaType, access });
    const text = decodeText(data);
    if (text === undefined) throw new Error(access.texts.notText(path));
    const rest = (["grep", "execute"] as const)
      .filter((name) => tooling.isOffered(name, access))
      .map((name) => tooling.names[name]);
    return pageText(path, text, { args, access, maxLength: tooling.maxLength, rest });
  };
  return fileTool("read_file", tooling, { run });
}

async function read(path: string, { backend, texts }: FileAccess, { cleared }: FileTooling): Promise<Uint8Array> {
  if (mediaTypeOf(path) !== undefined) {
    const size = (await backend.stat(path))?.size ?? 0;
    if (size > maxMediaSize) throw new UndangleError("file/too-large", { path, size, limit: maxMediaSize });
  }
  try {
    return await backend.read(path);
  } catch (error) {
    const isRemoved = cleared !== undefined && isWithin(path, cleared);
    if (isRemoved && error instanceof UndangleError && error.is("file/missing"))
      throw new Error(texts.removedResult(path), { cause: error });
    throw error;
  }
}

function mediaOf(
  path: string,
  data: Uint8Array,
  { mediaType, access: { texts } }: { readonly mediaType: string; readonly access: FileAccess },
): readonly unknown[] {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const media = mediaType.startsWith("image/") ? image(data, mediaType) : file(data, { mediaType, name });
  return [texts.media(path, mediaType, data.length), media];
}

interface PageContext {
  readonly args: ArgumentsOfTool<"read_file">;
  readonly access: FileAccess;
  readonly maxLength: number;
  /** The tools that can find something in a line that is too long to show. */
  readonly rest: readonly string[];
}

/** The page of a text that the arguments select, with notices about what is not shown. */
export function pageText(
  path: string,
  text: string,
  { args: { offset: given = 0, limit = 100, column = 0 }, access: { texts }, maxLength, rest }: PageContext,
): string {
  const lines = splitLines(text);
  const offset = Math.max(0, given);
  if (limit <= 0) return texts.noLines(path, limit, lines.length);
  if (offset >= lines.length) throw new Error(texts.pastEnd(path, offset, lines.length));
  const length = column === 0 ? 0 : countCharacters(lines[offset] ?? "");
  if (column > 0 && column >= length) throw new Error(texts.pastLineEnd(offset + 1, column, length));
  const ends = endsOfPage(text, { offset, limit });
  const page = pageOf(lines, { offset, limit: ends?.lines ?? limit, column, maxLength: maxLength - noticeLength });
  const range = { ...page, total: lines.length };
  const isWhole = page.nextOffset === undefined && page.part === undefined;
  const notices = [
    ...(given < 0 ? [texts.beforeStart(given)] : []),
    ...(page.part === undefined ? (isWhole ? [] : [texts.page(range)]) : [texts.linePart(page.first, page.part, rest)]),
    ...(ends === undefined ? [] : [texts.mixedEnds(ends.ends)]),
  ];
  return notices.length === 0 ? page.text : `${page.text}\n\n${notices.join("\n")}`;
}

/** The types of files that `read_file` returns as media, by extension. Any other file is text; so is SVG. */
const mediaTypes: Readonly<Record<string, string>> = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  pdf: "application/pdf",
  mp3: "audio/mpeg",
  wav: "audio/wav",
  mp4: "video/mp4",
};

/** In bytes. */
const maxMediaSize = 10 * 1024 * 1024;

/** The media type of a file. Undefined for text. */
function mediaTypeOf(path: string): string | undefined {
  const extension = /\.([a-z0-9]+)$/iu.exec(path)?.[1]?.toLowerCase();
  return extension !== undefined && Object.hasOwn(mediaTypes, extension) ? mediaTypes[extension] : undefined;
}
