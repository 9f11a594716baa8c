import { isRecord } from "#core";
import { isMedia, toolError, toolResult } from "#engine";
import type { HookContext, RunOne } from "#engine";
import type { FileBackend } from "#files";

import { fileError } from "./file-access.ts";
import { fileTexts } from "./file-texts.ts";
import type { EvictSettings } from "./filesystem-options.ts";
import type { FilesystemState, FilesystemUpdate } from "./filesystem-state.ts";
import { lineEndsOf } from "./line-ends.ts";
import { previewOf } from "./preview.ts";

type ToolCall = Parameters<RunOne>[0];
type Hook = HookContext<FilesystemState, FilesystemUpdate>;

export interface Evicting {
  readonly settings: EvictSettings;
  /** The name of `read_file` for the model. */
  readonly readFile: string;
  readonly backendOf: (call: ToolCall) => Promise<FileBackend>;
  /** Throws if the path must not be used. */
  readonly check: (backend: FileBackend, path: string) => Promise<void>;
}

/** Runs a tool, and stores its result in a file if it is too long. The model gets a note with its beginning and end. */
export function evictResult(call: ToolCall, hook: Hook, next: RunOne, evicting: Evicting): unknown {
  const pass = (value: unknown): unknown => {
    if (typeof value === "string" && value.length <= evicting.settings.maxLength) return value;
    const { parts, isError } = toolResult(value, hook.language);
    const text = textOf(parts);
    if (text.length <= evicting.settings.maxLength) return value;
    return stored(text, { call, hook, evicting }).then((note) =>
      note === undefined ? value : noted(note, { value, isError, isMediaAt: (i) => parts[i]?.type === "media" }),
    );
  };
  const fail = (error: unknown): unknown => {
    const text = textOf(toolError(error, hook.language).parts);
    if (text.length <= evicting.settings.maxLength) throw error;
    return stored(text, { call, hook, evicting }).then((note) => {
      if (note === undefined) throw error;
      return { content: [{ type: "text", text: note }], isError: true };
    });
  };
  let returned: unknown;
  try {
    returned = next(call);
  } catch (error) {
    return fail(error);
  }
  return returned instanceof Promise ? returned.then(pass, fail) : pass(returned);
}

type Parts = ReturnType<typeof toolResult>["parts"];

const textOf = (parts: Parts): string => parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");

/** A result with the note in place of its text. Media stay, and an error stays an error. */
function noted(
  note: string,
  { value, isError, isMediaAt }: { value: unknown; isError: boolean; isMediaAt: (index: number) => boolean },
): unknown {
  if (Array.isArray(value) && value.some(isMedia)) return [note, ...value.filter(isMedia)];
  const content: unknown = isRecord(value) ? value["content"] : undefined;
  const media = Array.isArray(content) ? content.filter((_, i) => isMediaAt(i)) : [];
  if (media.length === 0 && !isError) return note;
  return { content: [{ type: "text", text: note }, ...(media as readonly unknown[])], isError };
}

interface Storing {
  readonly call: ToolCall;
  readonly hook: Hook;
  readonly evicting: Evicting;
}

/** Milliseconds after which a backend has failed to store a text. */
const longestWrite = 30_000;

/** Stores a text and returns the note. Undefined if it could not be stored. */
async function stored(text: string, { call, hook, evicting }: Storing): Promise<string | undefined> {
  const { settings, readFile, backendOf, check } = evicting;
  const { callId } = call.context;
  const texts = fileTexts[hook.language];
  let path = `${settings.directory}/${callId}`;
  try {
    const backend = await backendOf(call);
    await check(backend, path);
    const data = new TextEncoder().encode(text);
    path = await writeNew(backend, { path, data, other: `${path}-${call.context.idempotencyKey}` });
    if (settings.keep !== undefined)
      await clear(backend, { path, bytes: data.length }, { ...hook, keep: settings.keep });
  } catch (error) {
    hook.warn(texts.evictionFailed(path, reasonOf(error, hook)), callId);
    return undefined;
  }
  return `${texts.evicted({ path, length: text.length, read: readFile, ends: lineEndsOf(text) })}\n\n${previewOf(text, settings.preview, texts)}`;
}

const reasonOf = (error: unknown, { language }: Hook): string =>
  textOf(toolError(fileError(error, language), language).parts);

/** Writes a file that does not exist. Threads that share a backend have calls with the same id. */
async function writeNew(
  backend: FileBackend,
  { path, data, other }: { readonly path: string; readonly data: Uint8Array; readonly other: string },
): Promise<string> {
  const paths = writing.get(backend) ?? new Map<string, Promise<unknown>>();
  writing.set(backend, paths);
  const before = paths.get(path);
  const work = (async () => {
    await before?.catch(() => undefined); // its own call reports it
    const free = (await backend.stat(path)) === undefined ? path : other;
    await backend.write(free, data);
    return free;
  })();
  paths.set(path, work);
  try {
    return await inTime(work);
  } finally {
    if (paths.get(path) === work) paths.delete(path);
  }
}

/** By path, because a write that never ends must not hold up the results of other calls. */
const writing = new WeakMap<FileBackend, Map<string, Promise<unknown>>>();

export async function inTime<Value>(work: Promise<Value>): Promise<Value> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`it took more than ${longestWrite / 1000} seconds`)), longestWrite);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Removes the oldest stored results of the thread that are over the limits. */
async function clear(
  backend: FileBackend,
  result: { readonly path: string; readonly bytes: number },
  { state, keep }: Pick<Hook, "state"> & { readonly keep: NonNullable<EvictSettings["keep"]> },
): Promise<void> {
  state.update({ type: "stored", result });
  const results = state.get().results ?? [];
  let bytes = results.reduce((sum, each) => sum + each.bytes, 0);
  const removed: string[] = [];
  for (const each of results) {
    const isOver = results.length - removed.length > keep.results || bytes > keep.bytes;
    if (!isOver || each.path === result.path) break; // the new one stays, even if it is over the limit alone
    removed.push(each.path);
    bytes -= each.bytes;
  }
  if (removed.length === 0) return;
  state.update({ type: "removed", paths: removed });
  for (const path of removed) await backend.delete?.(path).catch(() => undefined); // a file that is left does no harm
}
