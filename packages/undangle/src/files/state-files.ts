import type { FileBackend, FilesContext } from "./file-backend.ts";
import { flatFiles } from "./flat-files.ts";

/**
 * Files in the thread of the agent, as rows of its store. What a tool call writes is saved with the result of the call,
 * or not at all. They are copied with the thread.
 */
export const stateFiles =
  (): ((context: FilesContext) => FileBackend) =>
  ({ files }) =>
    flatFiles(files);
