import type { FileBackend, FileBackendSource, FilesContext } from "#files";

/** The files for one call, or for one request to the model. */
export const openFiles = async (
  source: FileBackendSource,
  { threadId, callId, agent, signal, files }: FilesContext,
): Promise<FileBackend> =>
  typeof source === "function"
    ? await source({ threadId, ...(callId !== undefined && { callId }), agent, signal, files })
    : source;
