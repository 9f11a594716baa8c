import type { ThreadFiles } from "#engine";

import type { FilesContext } from "./file-backend.ts";

/** The context of a backend outside an agent. Its thread has no files. */
export const filesContext = (threadId = "t", files: ThreadFiles = noFiles): FilesContext => ({
  threadId,
  agent: { name: undefined, model: "m" },
  signal: new AbortController().signal,
  files,
});

const noFiles: ThreadFiles = {
  list: async () => [],
  read: async () => undefined,
  write: () => Promise.reject(new Error("This thread takes no files.")),
  transact: (work) => work(noFiles),
};
