import { amazonEvent } from "./amazon-events.ts";
import type { Frame, Played } from "./played.ts";

/** The bytes of a stream, write by write. */
export function bytesOf(played: Played): readonly Uint8Array[] {
  const { transport } = played;
  const writes = transport.whole === undefined ? framesOf(played) : [bytes(JSON.stringify(transport.whole))];
  const all = Buffer.concat(writes);
  const kept = transport.cutAt === undefined ? all : all.subarray(0, Math.floor(all.length * transport.cutAt));
  if (transport.pieceSize === undefined && kept.length === all.length) return writes;
  return cut(kept, transport.pieceSize ?? 64);
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

function framesOf({ frames, end, transport }: Played): readonly Uint8Array[] {
  if (transport.kind === "events") return frames.map(({ event = "", data }) => amazonEvent(event, data));
  if (transport.kind === "list") return listOf(frames, transport);
  const { newline, before, between } = transport;
  const writes = frames.map((frame) => {
    const text = transport.kind === "lines" ? `${JSON.stringify(frame.data)}${newline}` : eventText(frame, transport);
    return bytes(text + between);
  });
  const last = end === "" ? [] : [bytes(`${transport.prefix}${end}${newline}${newline}`)];
  return [...(before === "" ? [] : [bytes(before)]), ...writes, ...last];
}

/** A JSON list in Gemini's form. Faults of SSE events do not apply. */
function listOf(frames: readonly Frame[], { before }: Played["transport"]): readonly Uint8Array[] {
  const writes = frames.map(({ data }, i) => `${i === 0 ? `${before}[` : ",\r\n"}${JSON.stringify(data, null, 2)}\n`);
  return [...(writes.length === 0 ? [`${before}[`] : writes), "]\n"].map(bytes);
}

function eventText({ event, data }: Frame, { newline, prefix }: Played["transport"]): string {
  const name = event === undefined ? "" : `event: ${event}${newline}`;
  return `${name}${prefix}${JSON.stringify(data)}${newline}${newline}`;
}

function cut(all: Uint8Array, size: number): readonly Uint8Array[] {
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < all.length; at += size) pieces.push(all.subarray(at, at + size));
  return pieces;
}
