import { errorText, UndangleError } from "#core";
import type { Language } from "#core";
import type { HookContext, RenderContext, ToolContext } from "#engine";
import { canonicalPath, comparablePath, isWithin } from "#files";
import type { FileBackend, FileBackendSource, FileOperation, Permissions } from "#files";

import { fileTexts } from "./file-texts.ts";
import type { FileTexts } from "./file-texts.ts";

/** The files as one call of a tool may use them. */
export interface FileAccess {
  readonly backend: FileBackend;
  readonly texts: FileTexts;
  readonly language: Language;
  /** The canonical form of a path, if the operation on it is allowed. */
  readonly path: (text: string, operation: FileOperation) => string;
  /** The canonical form of a directory to list or to search. */
  readonly directory: (text: string) => string;
  /** Throws if a rule denies to delete the path or anything in it. */
  readonly checkDeletion: (path: string, isDirectory: boolean) => void;
  /** False for what a list or a search must not show. */
  readonly isVisible: (path: string) => boolean;
}

export interface AccessRules {
  readonly source: FileBackendSource;
  readonly permissions: Permissions;
  /** True if there are permission rules. */
  readonly hasRules: boolean;
  /** Canonical directories outside of which there are no files. None if all files are accessible. */
  readonly prefixes: readonly string[];
  /** Directories that can be read in any case, because stored results are there. */
  readonly stored: readonly string[];
}

/** Opens the files for calls and for requests to the model. The source is asked once for each call. */
export function createAccess(rules: AccessRules): {
  readonly backendOf: (context: ToolContext) => Promise<FileBackend>;
  readonly backendForRequest: (context: HookContext) => Promise<FileBackend>;
  readonly of: (context: ToolContext) => Promise<FileAccess>;
  readonly preview: (context: RenderContext) => Promise<FileAccess>;
} {
  const { source } = rules;
  const opened = new WeakMap<ToolContext, Promise<FileBackend>>();
  const backendOf = (context: ToolContext): Promise<FileBackend> => {
    const known = opened.get(context);
    if (known !== undefined) return known;
    const { threadId, callId, agent, signal, files } = context;
    const backend = open(source, { threadId, callId, agent, signal, files });
    opened.set(context, backend);
    return backend;
  };
  return {
    backendOf,
    backendForRequest: ({ threadId, agent, signal, files }) => open(source, { threadId, agent, signal, files }),
    of: async (context) => checkedAccess(await backendOf(context), rules, context.language),
    preview: async ({ language, ...context }) => checkedAccess(await open(source, context), rules, language),
  };
}

/** Fails closed if rules would have no effect. */
function checkedAccess(backend: FileBackend, rules: AccessRules, language: Language): FileAccess {
  if (rules.hasRules && isSeenByShell(backend, rules.permissions)) throw new Error(fileTexts[language].shellSeesAll);
  return accessTo(backend, rules, language);
}

async function open(
  source: FileBackendSource,
  context: Parameters<Extract<FileBackendSource, (...args: never) => unknown>>[0],
): Promise<FileBackend> {
  return typeof source === "function" ? await source(context) : source;
}

/** True if the backend has a shell, and the shell may see files that rules are about. */
export function isSeenByShell(backend: FileBackend, { directories }: Permissions): boolean {
  if (backend.execute === undefined) return false;
  return directories.some((directory) => backend.shellSees?.(directory) !== false);
}

function accessTo(backend: FileBackend, rules: AccessRules, language: Language): FileAccess {
  const { permissions, prefixes, stored } = rules;
  const texts = fileTexts[language];
  const canonical = (text: string): string => {
    const found = canonicalPath(text);
    if (found.path === undefined) throw found.error;
    return found.path;
  };
  const isInside = (path: string, directories: readonly string[]): boolean =>
    directories.some((directory) => isWithin(comparablePath(path), directory));
  const isAccessible = (path: string, operation: FileOperation): boolean =>
    prefixes.length === 0 || isInside(path, prefixes) || (operation === "read" && isInside(path, stored));
  /** True for the directories above those that are accessible. */
  const isOnTheWay = (path: string): boolean => prefixes.some((directory) => isWithin(directory, comparablePath(path)));
  const refuse = (path: string): Error => new Error(texts.outsidePrefixes(path, prefixes));
  return {
    backend,
    texts,
    language,
    path(text, operation) {
      const path = canonical(text);
      if (!isAccessible(path, operation)) throw refuse(path);
      if (permissions.modeOf(operation, path) === "deny") throw new UndangleError("file/denied", { path, operation });
      return path;
    },
    directory(text) {
      const path = canonical(text);
      if (!isAccessible(path, "read") && !isOnTheWay(path)) throw refuse(path);
      if (permissions.modeOf("read", path) === "deny")
        throw new UndangleError("file/denied", { path, operation: "read" });
      return path;
    },
    checkDeletion(path, isDirectory) {
      if (isDirectory && permissions.modesIn("write", path).has("deny")) throw new Error(texts.deniedBelow(path));
    },
    isVisible: (path) =>
      (isAccessible(path, "read") || isOnTheWay(path)) && permissions.modeOf("read", path) !== "deny",
  };
}

/** The error of a tool in the language of the agent, without paths of the host. */
export function fileError(error: unknown, language: Language, path = "/"): unknown {
  if (error instanceof UndangleError) return new Error(errorText(error, language));
  if (!(error instanceof Error) || !("syscall" in error)) return error;
  const reason = "code" in error ? String(error.code) : error.name; // its message contains the path of the host
  return new Error(errorText(new UndangleError("file/failed", { path, reason }), language));
}
