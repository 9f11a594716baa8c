import type { Message, Text } from "#codecs";
import type { HookContext } from "#engine";
import type { FileBackend } from "#files";
import type { ModelRequest } from "#model";

import { inTime } from "./evict-results.ts";
import { fileError } from "./file-access.ts";
import { fileTexts } from "./file-texts.ts";
import { hashOf } from "./filesystem-state.ts";
import type { FilesystemState, FilesystemUpdate } from "./filesystem-state.ts";
import { lineEndsOf } from "./line-ends.ts";
import { previewOf } from "./preview.ts";
import type { PreviewSize } from "./preview.ts";

type UserMessage = Extract<Message, { readonly role: "user" }>;

export interface EvictingMessages {
  readonly maxLength: number;
  readonly directory: string;
  readonly preview: PreviewSize;
  /** The name of `read_file` for the model. */
  readonly readFile: string;
  readonly backend: () => Promise<FileBackend>;
  /** Throws if the path must not be used. */
  readonly check: (backend: FileBackend, path: string) => Promise<void>;
}

/**
 * A request in which very long user messages are notes with their beginning and end. A message is stored when it is the
 * last one of the user. The thread keeps it, and later requests contain the same note.
 */
export async function evictMessages(
  request: ModelRequest,
  hook: HookContext<FilesystemState, FilesystemUpdate>,
  evicting: EvictingMessages,
): Promise<ModelRequest> {
  const { messages } = request;
  const last = messages.findLastIndex(({ role }) => role === "user");
  const changed = new Map<number, Message>();
  for (let i = 0; i <= last; i++) {
    const message = messages[i];
    if (message?.role !== "user") continue; // an iterator would take most of the time of a long thread
    const text = textOf(message);
    if (text.length <= evicting.maxLength) continue;
    const hash = hashOf(text);
    const path =
      hook.state.get().messages?.[hash] ?? (i === last ? await stored(text, hash, { hook, evicting }) : undefined);
    if (path !== undefined) changed.set(i, noted(message, { text, path, hook, evicting }));
  }
  if (changed.size === 0) return request;
  return { ...request, messages: messages.map((message, i) => changed.get(i) ?? message) };
}

/** True if there is a message to store, or one that was stored before. Older messages are read only in the second case. */
export function hasLongMessage(
  { messages }: ModelRequest,
  { messages: stored = {} }: FilesystemState,
  maxLength: number,
): boolean {
  const isLong = (message: Message | undefined): boolean =>
    message?.role === "user" && textOf(message).length > maxLength;
  if (Object.keys(stored).length > 0) return messages.some(isLong);
  return isLong(messages.findLast(({ role }) => role === "user"));
}

const isText = (part: UserMessage["parts"][number]): part is Text => part.type === "text";

const textOf = ({ parts }: UserMessage): string =>
  parts
    .filter(isText)
    .map(({ text }) => text)
    .join("\n");

interface Storing {
  readonly hook: HookContext<FilesystemState, FilesystemUpdate>;
  readonly evicting: EvictingMessages;
}

/** The file of a message; undefined if it could not be stored. */
async function stored(text: string, hash: string, { hook, evicting }: Storing): Promise<string | undefined> {
  const path = `${evicting.directory}/${hash.slice(0, 12)}`;
  try {
    const backend = await evicting.backend();
    await evicting.check(backend, path);
    await inTime(backend.write(path, new TextEncoder().encode(text)));
  } catch (error) {
    const found = fileError(error, hook.language);
    const reason = found instanceof Error ? found.message : String(found);
    hook.warn(fileTexts[hook.language].evictionFailed(path, reason));
    return undefined;
  }
  hook.state.update({ type: "message", hash, path });
  return path;
}

/** The message with a note in place of its text. Media stay. */
function noted(
  message: UserMessage,
  { text, path, hook, evicting }: Storing & { readonly text: string; readonly path: string },
): UserMessage {
  const texts = fileTexts[hook.language];
  const note = `${texts.evictedMessage({ path, length: text.length, read: evicting.readFile, ends: lineEndsOf(text) })}\n\n${previewOf(text, evicting.preview, texts)}`;
  const media = message.parts.filter((part) => !isText(part));
  return { ...message, parts: [{ type: "text", path: message.path, text: note }, ...media] };
}
