import type { CallView, PendingCall } from "undangle/agent";

import { publicWords } from "../responses/api-error.ts";
import type { ListedThread } from "../projects/project-threads.ts";
import { publicId } from "../projects/thread-key.ts";
import type { ResponseOutcome } from "../projects/runs/recorded-run.ts";

/** A thread in the form of the API. */
export const showThread = ({ id, note, metadata, found }: ListedThread): object => ({
  id,
  object: "thread",
  status: found.status,
  title: found.title ?? null,
  persona: note.persona,
  model: note.model ?? null,
  metadata,
  entries: found.entries,
  last_event: String(found.lastEvent),
  created_at: new Date(found.createdAt).toISOString(),
  updated_at: new Date(found.updatedAt).toISOString(),
  deleted_at: found.deletedAt === undefined ? null : new Date(found.deletedAt).toISOString(),
});

/** Calls with the ids by which the project knows their child threads. */
export const showCalls = (project: string, calls: readonly CallView[]): readonly CallView[] =>
  calls.map(({ thread, ...call }) => (thread === undefined ? call : { ...call, thread: publicId(project, thread) }));

/** The path of a thread, for the header `location`. */
export const locationOf = (id: string): string => `/threads/${encodeURIComponent(id)}`;

export interface ThreadContents {
  readonly pending: readonly PendingCall[];
  readonly calls: readonly CallView[];
  readonly messages: unknown;
}

/** The same with its content. */
export const showWhole = (entry: ListedThread, contents: ThreadContents): object => ({
  ...showThread(entry),
  ...contents,
});

export const showEnd = (threadId: string, runId: string, end: ResponseOutcome): object => ({
  thread_id: threadId,
  run_id: runId,
  status: end.status,
  text: end.text,
  pending: end.pending,
  usage: end.usage,
  thread_usage: end.threadUsage,
  ...(end.output !== undefined && { output: end.output }),
  ...(end.cause !== undefined && { cause: end.cause }),
  ...(end.error !== undefined && { error: { code: end.error.code, message: publicWords(end.error) } }),
});
