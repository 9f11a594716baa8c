/** Why the text of a file cannot be read. */
export type FileFault = "archive" | "binary" | "database" | "encoding" | "too-large";

export type FileText = { readonly text: string } | { readonly fault: FileFault };

export interface ReadOptions {
  readonly signal: AbortSignal;
  readonly onProgress: (share: number) => void;
}

/**
 * Reads a file in chunks and reports the share that was read: UTF-8, or UTF-16 as PowerShell writes it, also compressed
 * with gzip. Nothing is replaced silently. A stopped reading has no text.
 */
export async function readFile(file: Blob, { signal, onProgress }: ReadOptions): Promise<FileText> {
  const head = await startOf(file);
  const isGzip = hasSign(head, [0x1f, 0x8b]);
  const bytes = file.stream().pipeThrough(progressOf(file.size, onProgress));
  const chunks = isGzip ? bytes.pipeThrough(new DecompressionStream("gzip")) : bytes;
  const fault = isGzip ? undefined : faultOf(head);
  if (fault !== undefined) return { fault };
  const reader = chunks.getReader();
  const texts: string[] = [];
  let decoder: TextDecoder | undefined;
  let length = 0;
  try {
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
      decoder ??= new TextDecoder(encodingOf(isGzip ? chunk.value : head), { fatal: true });
      const text = decoder.decode(chunk.value, { stream: true });
      const fits = length + text.length <= longestText;
      const isText = length > 0 || !text.slice(0, 4096).includes("\0");
      if (signal.aborted || !fits || !isText) {
        await reader.cancel();
        return signal.aborted ? { text: "" } : { fault: fits ? "binary" : "too-large" };
      }
      texts.push(text);
      length += text.length;
    }
    texts.push(decoder?.decode() ?? "");
  } catch (error) {
    if (error instanceof TypeError) return { fault: isGzip ? "archive" : "encoding" }; // the decoders throw it
    throw error;
  }
  return { text: texts.join("") };
}

/** A longer text does not fit into the memory of the page together with its repaired version. */
const longestText = 400_000_000;

const startOf = async (file: Blob): Promise<Uint8Array> => new Uint8Array(await file.slice(0, 512).arrayBuffer());

function progressOf(
  size: number,
  onProgress: (share: number) => void,
): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let [read, reported] = [0, 0];
  return new TransformStream({
    transform(chunk, controller) {
      controller.enqueue(chunk);
      read += chunk.length;
      if (read - reported < size / 100) return;
      reported = read;
      onProgress(read / size);
    },
  });
}

const hasSign = (head: Uint8Array, sign: readonly number[]): boolean => sign.every((byte, i) => head[i] === byte);

/** The first bytes of files that are no text. */
const signs: readonly (readonly [fault: FileFault, sign: readonly number[]])[] = [
  ["database", [0x53, 0x51, 0x4c, 0x69, 0x74, 0x65, 0x20, 0x66]], // SQLite
  ["archive", [0x50, 0x4b, 0x03, 0x04]], // zip
  ["archive", [0x28, 0xb5, 0x2f, 0xfd]], // zstd
  ["archive", [0x42, 0x5a, 0x68]], // bzip2
  ["archive", [0xfd, 0x37, 0x7a, 0x58]], // xz
  ["binary", [0x25, 0x50, 0x44, 0x46]], // PDF
  ["binary", [0x89, 0x50, 0x4e, 0x47]], // PNG
  ["binary", [0xff, 0xd8, 0xff]], // JPEG
];

function faultOf(head: Uint8Array): FileFault | undefined {
  const known = signs.find(([, sign]) => hasSign(head, sign))?.[0];
  return known ?? (encodingOf(head) === "utf-8" && head.includes(0) ? "binary" : undefined);
}

/** UTF-16 by its mark, or by the zero in every other byte of Latin text. */
function encodingOf(head: Uint8Array): "utf-8" | "utf-16le" | "utf-16be" {
  if (hasSign(head, [0xff, 0xfe])) return "utf-16le";
  if (hasSign(head, [0xfe, 0xff])) return "utf-16be";
  const start = head.subarray(0, 8);
  if (start.length < 8) return "utf-8";
  if (start.every((byte, i) => (byte === 0) === (i % 2 === 1))) return "utf-16le";
  return start.every((byte, i) => (byte === 0) === (i % 2 === 0)) ? "utf-16be" : "utf-8";
}
