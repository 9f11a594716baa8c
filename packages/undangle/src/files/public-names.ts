/** The entry `undangle/files`. */
export { canonicalPath } from "#core";
export type { CanonicalPath } from "#core";
export { compositeFiles } from "./composite-files.ts";
export { diskFiles } from "./disk/disk-files.ts";
export type { DiskFilesOptions } from "./disk/disk-files.ts";
export type {
  DeletedFiles,
  ExecuteOptions,
  Execution,
  FileBackend,
  FileBackendSource,
  FileInfo,
  FilesContext,
  GlobQuery,
  GlobResult,
  GrepFile,
  GrepLine,
  GrepQuery,
  GrepResult,
  Sandbox,
  WrittenFile,
} from "./file-backend.ts";
export { memoryFiles } from "./memory-files.ts";
export { bubblewrap } from "./sandbox/bubblewrap.ts";
export type { Bubblewrap } from "./sandbox/bubblewrap.ts";
export type { BubblewrapOptions, SandboxLimits, SandboxUser } from "./sandbox/sandbox-options.ts";
export { stateFiles } from "./state-files.ts";
export { storeFiles } from "./store-files.ts";
export type { StoreFilesOptions } from "./store-files.ts";
