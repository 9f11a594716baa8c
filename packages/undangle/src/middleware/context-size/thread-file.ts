import { createHash } from "node:crypto";

import { errorText, UndangleError } from "#core";
import type { HookContext } from "#engine";
import { canonicalPath, comparablePath } from "#files";
import type { FileBackend, FileBackendSource } from "#files";

import { demand } from "../option-checks.ts";

/** The files of a middleware in a hook. */
export async function openFiles(
  source: FileBackendSource,
  { threadId, agent, signal, files }: Pick<HookContext, "threadId" | "agent" | "signal" | "files">,
): Promise<FileBackend> {
  return typeof source === "function" ? await source({ threadId, agent, signal, files }) : source;
}

/** A name for the files of a thread. Threads have ids of any length, with any characters. */
export const fileNameOf = (threadId: string): string =>
  /^\w[\w.-]{0,99}$/u.test(threadId) ? threadId : createHash("sha256").update(threadId).digest("hex").slice(0, 32);

/** Why a file could not be written, in the language of the agent and without paths of the host. */
export function reasonOf(error: unknown, { language }: Pick<HookContext, "language">): string {
  if (error instanceof UndangleError) return errorText(error, language);
  if (error instanceof Error && "syscall" in error) return "code" in error ? String(error.code) : error.name;
  return error instanceof Error ? error.message : String(error);
}

/** A canonical directory of an option. */
export function directoryOf(text: unknown, option: string): string {
  const canonical = typeof text === "string" && text.startsWith("/") ? canonicalPath(text) : undefined;
  demand(canonical?.path !== undefined, option, text, ["an absolute directory"]);
  return comparablePath(canonical?.path ?? "/");
}
