export { canonicalPath, comparablePath } from "#core";
export type { CanonicalPath } from "#core";
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
export { compositeFiles } from "./composite-files.ts";
export { diskFiles } from "./disk/disk-files.ts";
export type { DiskFilesOptions } from "./disk/disk-files.ts";
export { maxFileBytes } from "./file-limit.ts";
export { flatFiles } from "./flat-files.ts";
export type { FileRow, FileRowChange, FileRowContent, FileRows } from "./flat-files.ts";
export { compileGlob } from "./match-glob.ts";
export type { Glob, GlobOptions } from "./match-glob.ts";
export { memoryFiles } from "./memory-files.ts";
export { combinePermissions, compilePermissions, followRules, literalPart } from "./permissions.ts";
export type { FileOperation, PermissionMode, PermissionRule, Permissions } from "./permissions.ts";
export { ancestorsOf, childPath, compareText, isWithin, nameOf, parentPath, prefixOf } from "./path-segments.ts";
export { createSearchLimit, searchLimits } from "./search/search-limit.ts";
export type { SearchLimit } from "./search/search-limit.ts";
export { globFiles, grepFiles, listedFiles } from "./search/search-files.ts";
export { bubblewrap } from "./sandbox/bubblewrap.ts";
export type { Bubblewrap } from "./sandbox/bubblewrap.ts";
export type { BubblewrapOptions, SandboxLimits, SandboxUser } from "./sandbox/sandbox-options.ts";
export { readText, splitLines } from "./search/text-lines.ts";
export { stateFiles } from "./state-files.ts";
export { storeFiles } from "./store-files.ts";
export type { StoreFilesOptions } from "./store-files.ts";
