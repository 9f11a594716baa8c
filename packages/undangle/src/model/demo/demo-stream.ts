import { assemble } from "#codecs";
import type { AssembledStream } from "#codecs";

import type { ModelRequest } from "../model.ts";
import { cutReply } from "./cut-reply.ts";
import type { CutReply } from "./cut-reply.ts";
import { estimateUsage } from "./estimate-usage.ts";
import type { Reply } from "./reply.ts";

export interface StreamOptions {
  /** For the chunks. */
  readonly name: string;
  /** Milliseconds between two pieces. */
  readonly pace: number;
}

/** A reply as a chat stream brings it, piece by piece; it is put together as that of any other model. */
export function streamReply(reply: () => Reply, request: ModelRequest, options: StreamOptions): AssembledStream {
  const { tools, signal } = request;
  // An iterator can be read only once; a set is not copied, because there may be many.
  const knownIds =
    request.knownIds instanceof Set ? (request.knownIds as ReadonlySet<string>) : new Set(request.knownIds);
  const given = { ...request, knownIds };
  async function* chunks(): AsyncGenerator {
    signal.throwIfAborted();
    for (const chunk of chunksOf(cutReply(reply(), request.sampling), given, options.name)) {
      yield chunk;
      await pause(options.pace, signal);
    }
  }
  return assemble(chunks(), { format: "openai-chat", tools, knownIds });
}

const pieceLength = { letters: 12, signs: 3 };

function* chunksOf(
  reply: CutReply,
  request: ModelRequest & { readonly knownIds: ReadonlySet<string> },
  model: string,
): Generator {
  const { text, calls, written, finish } = reply;
  const ids = idsFor(calls.length, request.knownIds);
  const chunk = (delta: object, reason: string | null = null): object => ({
    id: `demo-${request.messages.length}`,
    object: "chat.completion.chunk",
    model,
    choices: [{ index: 0, delta, finish_reason: reason }],
  });
  yield chunk({ role: "assistant", content: "" });
  for (const content of piecesOf(text)) yield chunk({ content });
  for (const [index, { name }] of calls.entries()) {
    yield chunk({ tool_calls: [{ index, id: ids[index], type: "function", function: { name, arguments: "" } }] });
    for (const piece of piecesOf(written[index] ?? "")) {
      yield chunk({ tool_calls: [{ index, function: { arguments: piece } }] });
    }
  }
  yield chunk({}, finish);
  yield {
    id: `demo-${request.messages.length}`,
    object: "chat.completion.chunk",
    model,
    choices: [],
    usage: estimateUsage(request, reply),
  };
}

/** Pieces as models give them: a word or two, or a few Chinese characters; no character is cut in two. */
function piecesOf(text: string): readonly string[] {
  const { letters, signs } = pieceLength;
  const pattern = new RegExp(`\\p{Script=Han}{1,${signs}}|[^\\p{Script=Han}]{1,${letters}}`, "gu");
  return text.match(pattern) ?? [];
}

/** Ids that no call of the thread has; the same for the same thread. */
function idsFor(count: number, known: ReadonlySet<string>): readonly string[] {
  const ids: string[] = [];
  for (let n = known.size + 1; ids.length < count; n++) if (!known.has(`call_demo_${n}`)) ids.push(`call_demo_${n}`);
  return ids;
}

/** Waits, and stops waiting the moment that nobody wants the rest. */
async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  if (milliseconds <= 0) return;
  await new Promise<void>((resolve) => {
    const over = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", over);
      resolve();
    };
    const timer = setTimeout(over, milliseconds);
    signal.addEventListener("abort", over);
  });
  signal.throwIfAborted();
}
