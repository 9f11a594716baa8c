/** The entry `undangle/files`. */
export { canonicalPath } from "./canonical-path.ts";
export type { CanonicalPath } from "./canonical-path.ts";
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
export { storeFiles } from "./store-files.ts";
export type { StoreFilesOptions } from "./store-files.ts";
