import { once } from "node:events";
import { Worker } from "node:worker_threads";

import { UndangleError } from "#core";

import type { GrepFile, GrepQuery, GrepResult } from "../file-backend.ts";
import { maxFileBytes } from "../file-limit.ts";
import { maxLines } from "./grep-lines.ts";
import type { SearchReply, SearchRequest, SearchSource } from "./search-worker.ts";

const here = import.meta.url;
const workerFile = new URL(here.endsWith(".ts") ? "./search-worker.ts" : "./search-worker.js", here);

/** Searches sources in a thread of its own, one batch after the other. The signal ends the thread. */
export async function searchInThread(
  batches: Iterable<readonly SearchSource[]> | AsyncIterable<readonly SearchSource[]>,
  { pattern, isRegex, context, maxCount, signal }: GrepQuery,
): Promise<GrepResult> {
  const worker = new Worker(workerFile, { resourceLimits: { maxOldGenerationSizeMb: 512 } });
  const files: GrepFile[] = [];
  const failures: string[] = [];
  let skipped = 0;
  let limit = maxCount;
  let lines = 0;
  try {
    for await (const sources of batches) {
      signal?.throwIfAborted();
      const request: SearchRequest = { pattern, isRegex, context, limit, maxBytes: maxFileBytes, sources };
      worker.postMessage(request); // oxlint-disable-line unicorn/require-post-message-target-origin -- a thread is no window
      const [reply] = (await once(worker, "message", signal && { signal })) as [SearchReply]; // the worker sends nothing else
      files.push(...reply.files);
      failures.push(...reply.failures.map(failureOf));
      skipped += reply.skipped;
      for (const { count, lines: own } of reply.files) {
        limit -= count;
        lines += own.length;
      }
      if (reply.isCut || lines > maxLines) return { files, isCut: true, skipped, failures };
    }
    return { files, isCut: false, skipped, failures };
  } finally {
    await worker.terminate();
  }
}

const failureOf = ({ path, size }: SearchReply["failures"][number]): string =>
  (size === undefined
    ? new UndangleError("file/failed", { path, reason: "it could not be read" })
    : new UndangleError("file/too-large", { path, size, limit: maxFileBytes })
  ).message;
