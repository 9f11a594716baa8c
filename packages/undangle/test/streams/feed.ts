import { assemble } from "undangle";
import type { AssembledTurn, AssembledStream, StreamPart } from "undangle";
import type { ExpectedTurn, StreamFixture } from "./build.ts";

/** The bytes of a stream in pieces of a size. */
export async function* bytesOf(sent: string, size = Number.POSITIVE_INFINITY): AsyncGenerator<Uint8Array> {
  const bytes = new TextEncoder().encode(sent);
  for (let at = 0; at < bytes.length; at += size) yield bytes.slice(at, at + size);
}

/** The same, from a socket that breaks behind a number of bytes. */
export async function* brokenAfter(sent: string, count: number): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(sent).slice(0, count);
  throw new Error("socket hang up");
}

/** A stream as a browser has it. */
export const readable = (sent: string): ReadableStream<Uint8Array> => {
  const bytes = new TextEncoder().encode(sent);
  return new ReadableStream({
    start(controller) {
      for (let at = 0; at < bytes.length; at += 64) controller.enqueue(bytes.slice(at, at + 64));
      controller.close();
    },
  });
};

/** What somebody else has parsed; what is no JSON stays the text that it was. */
export function framesOf({ frames = [], format }: StreamFixture): unknown[] {
  return frames.map((frame) =>
    typeof frame === "string" ? (format === "ollama" ? `${frame}\n` : `data: ${frame}\n\n`) : frame,
  );
}

/** Opens a fixture from any source. */
export const open = ({ format, options }: StreamFixture, source: Parameters<typeof assemble>[0]): AssembledStream =>
  assemble(source, { format, ...options });

/** A turn in the words of a fixture: generated ids are null, once they are seen to be good ones. */
export function inShort({ text, reasoning, calls, finish, complete }: AssembledTurn): ExpectedTurn {
  return {
    text,
    reasoning,
    finish,
    complete,
    calls: calls.map(({ id, name, arguments: args, state, idGenerated }) => {
      const isGood = idGenerated ? /^call_[0-9a-f]{24}$/u.test(id) : id !== "";
      return { id: !isGood ? `bad id ${id}` : idGenerated ? null : id, name, arguments: args, state };
    }),
  };
}

/** All parts of a stream. */
export async function partsOf(stream: AssembledStream): Promise<StreamPart[]> {
  const parts: StreamPart[] = [];
  for await (const part of stream) parts.push(part);
  return parts;
}
