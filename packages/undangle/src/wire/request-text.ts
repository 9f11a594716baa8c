import { isBlank, opensObject } from "./body-opening.ts";
import { lookInto, sourceOf } from "./body-source.ts";

/** How far a body is read. */
export interface ReadLimits {
  readonly maxBytes: number;
  /** When it is aborted nobody waits any more. */
  readonly signal: AbortSignal | undefined;
}

/** Stands for the text of a body that may be of a format and is not read: it is too large, or can be read only once. */
export const unread = Symbol("unread");

/** What is known of the text of a body; undefined where that is no JSON object, or nobody will send it. */
export type TextRead = string | typeof unread | undefined;

/**
 * The text of the JSON object in a `Request`, of which only a copy is read. What is no object or too large is not read on, so
 * that an upload goes its way.
 */
export async function textIn(request: Request, { maxBytes, signal }: ReadLimits): Promise<TextRead> {
  if (!isStream(request.body) || request.bodyUsed || signal?.aborted === true) return undefined;
  if (Number(request.headers.get("content-length") ?? 0) > maxBytes) return unread;
  const copy: unknown = request.clone().body;
  return isStream(copy) ? textOfStream(copy, { maxBytes, signal }) : undefined;
}

/** The same for a `Blob`, which can be read as often as one likes. */
export async function textInBlob(blob: Blob, limits: ReadLimits): Promise<TextRead> {
  return blob.size > limits.maxBytes ? unread : textOfStream(blob.stream(), limits);
}

async function textOfStream(copy: ReadableStream<Uint8Array>, { maxBytes, signal }: ReadLimits): Promise<TextRead> {
  const source = sourceOf(copy);
  let isStopped = false;
  let isTooLarge = false;
  const stop = (): void => {
    isStopped = true;
    source.cancel().catch(() => undefined); // settles with the other half, which is not ours
  };
  signal?.addEventListener("abort", stop, { once: true });
  const { bytes, isWhole } = await lookInto(source, (read, size) => {
    const begun = read.find((piece) => !isBlank(piece));
    if (begun !== undefined && !opensObject(begun)) return true;
    isTooLarge = size > maxBytes;
    return isTooLarge;
  });
  signal?.removeEventListener("abort", stop);
  if (isTooLarge && !isStopped) {
    stop();
    return unread;
  }
  if (!isWhole) stop();
  return isStopped ? undefined : textOf(bytes, { maxBytes });
}

const isStream = (body: unknown): body is ReadableStream<Uint8Array> =>
  typeof body === "object" && body !== null && "getReader" in body;

/** The text in a body that was given with a request; a stream can be read once, and what is no JSON is nobody's business here. */
export function textOf(body: unknown, { maxBytes }: Pick<ReadLimits, "maxBytes">): TextRead {
  if (typeof body === "string") return body.length > maxBytes ? unread : body.replace(/^\uFEFF/u, "");
  if (isStream(body)) return unread;
  if (!ArrayBuffer.isView(body) && !(body instanceof ArrayBuffer)) return undefined;
  if (body.byteLength > maxBytes) return unread;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(body as Uint8Array); // a view of any kind
  } catch {
    return undefined; // no text
  }
}
