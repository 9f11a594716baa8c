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
export const maxMediaSize = 10 * 1024 * 1024;

/** The media type of a file. Undefined for text. */
export function mediaTypeOf(path: string): string | undefined {
  const extension = /\.([a-z0-9]+)$/iu.exec(path)?.[1]?.toLowerCase();
  return extension !== undefined && Object.hasOwn(mediaTypes, extension) ? mediaTypes[extension] : undefined;
}

/**
 * The text of a file; undefined if its bytes are not UTF-8. A byte order mark is kept, because an edit writes the text
 * back.
 */
export function decodeText(data: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(data);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}
