import { errorText, UndangleError } from "#core";
import type { Language } from "#core";
import type { HookContext, RenderContext, ToolContext } from "#engine";
import {
  canonicalPath,
  childPath,
  comparablePath,
  combinePermissions,
  compilePermissions,
  followRules,
  isWithin,
  nameOf,
  parentPath,
  prefixOf,
} from "#files";
import type { FileBackend, FileBackendSource, FileOperation, PermissionRule, Permissions } from "#files";

import { openFiles } from "../open-files.ts";
import { fileTexts } from "./file-texts.ts";
import type { FileTexts } from "./file-texts.ts";

/** The files as one call of a tool may use them. A path is judged as it is given and without symbolic links. */
export interface FileAccess {
  readonly backend: FileBackend;
  readonly texts: FileTexts;
  readonly language: Language;
  /** The canonical form of a path, if the operation on it is allowed. */
  readonly path: (text: string, operation: FileOperation) => Promise<string>;
  /** The canonical form of a directory to list or to search. */
  readonly directory: (text: string) => Promise<SearchedDirectory>;
  /** The canonical form of a path to delete. If it is a link, the link itself is deleted. */
  readonly deletion: (text: string) => Promise<Deletion>;
}

export interface SearchedDirectory {
  readonly path: string;
  /** False for what a list or a search must not show. */
  readonly isVisible: (path: string) => boolean;
}

export interface Deletion {
  readonly path: string;
  /** Throws if a rule denies to delete anything in the directory. */
  readonly checkDirectory: () => void;
}

export interface AccessRules {
  readonly source: FileBackendSource;
  readonly permissions: Permissions;
  /** The lists of rules that apply. */
  readonly rules: readonly (readonly PermissionRule[])[];
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
  /** Throws if a link leads from the directory of stored results to files that rules deny. */
  readonly checkStored: (backend: FileBackend, path: string) => Promise<void>;
} {
  const { source } = rules;
  const opened = new WeakMap<ToolContext, Promise<FileBackend>>();
  const backendOf = (context: ToolContext): Promise<FileBackend> => {
    const known = opened.get(context);
    if (known !== undefined) return known;
    const { threadId, callId, agent, signal, files } = context;
    const backend = openFiles(source, { threadId, callId, agent, signal, files });
    opened.set(context, backend);
    return backend;
  };
  return {
    backendOf,
    backendForRequest: ({ threadId, agent, signal, files }) => openFiles(source, { threadId, agent, signal, files }),
    of: async (context) => checkedAccess(await backendOf(context), rules, context.language),
    preview: async ({ language, ...context }) => checkedAccess(await openFiles(source, context), rules, language),
    async checkStored(backend, path) {
      const real = await realPathOf(backend, path);
      if (real === path) return;
      const { modeOf } = await permissionsFor(backend, rules);
      for (const operation of ["read", "write"] as const)
        if (modeOf(operation, real) === "deny" || !isAccessible(rules, real, "read"))
          throw new UndangleError("file/denied", { path, operation });
    },
  };
}

/** Fails closed if rules would have no effect. */
async function checkedAccess(backend: FileBackend, rules: AccessRules, language: Language): Promise<FileAccess> {
  if (rules.rules.length > 0 && isSeenByShell(backend, rules.permissions))
    throw new Error(fileTexts[language].shellSeesAll);
  return accessTo(backend, { ...rules, permissions: await permissionsFor(backend, rules) }, language);
}

/** The rules for the links of a backend. */
export async function permissionsFor(
  backend: FileBackend,
  { rules, permissions }: Pick<AccessRules, "rules" | "permissions">,
): Promise<Permissions> {
  if (rules.length === 0 || backend.realPath === undefined) return permissions;
  const follow = (list: readonly PermissionRule[]): ReturnType<typeof followRules> =>
    followRules(list, (path) => realPathOf(backend, path));
  const followed = await Promise.all(rules.map(follow));
  const isSame = followed.every((list, i) =>
    list.every(({ paths }, j) => paths.length === rules[i]?.[j]?.paths.length),
  );
  return isSame ? permissions : combinePermissions(followed.map((list) => compilePermissions(list)));
}

export const realPathOf = async (backend: FileBackend, path: string): Promise<string> =>
  (await backend.realPath?.(path)) ?? path;

/** The path of an entry without links in the directories above it. */
export const realEntryOf = async (backend: FileBackend, path: string): Promise<string> =>
  path === "/" ? path : childPath(await realPathOf(backend, parentPath(path)), nameOf(path));

/** True if the backend has a shell, and the shell may see files that rules are about. */
export function isSeenByShell(backend: FileBackend, { directories }: Permissions): boolean {
  if (backend.execute === undefined) return false;
  return directories.some((directory) => backend.shellSees?.(directory) !== false);
}

const isInside = (path: string, directories: readonly string[]): boolean =>
  directories.some((directory) => isWithin(comparablePath(path), directory));

const isAccessible = (
  { prefixes, stored }: Pick<AccessRules, "prefixes" | "stored">,
  path: string,
  operation: FileOperation,
): boolean => prefixes.length === 0 || isInside(path, prefixes) || (operation === "read" && isInside(path, stored));

function accessTo(backend: FileBackend, rules: AccessRules, language: Language): FileAccess {
  const { permissions, prefixes } = rules;
  const { modeOf, modesIn } = permissions;
  const texts = fileTexts[language];
  const canonical = (text: string): string => {
    const found = canonicalPath(text);
    if (found.path === undefined) throw found.error;
    return found.path;
  };
  /** True for the directories above those that are accessible. */
  const isOnTheWay = (path: string): boolean => prefixes.some((directory) => isWithin(directory, comparablePath(path)));
  const isShown = (path: string): boolean =>
    (isAccessible(rules, path, "read") || isOnTheWay(path)) && modeOf("read", path) !== "deny";
  const outside = (path: string): Error => new Error(texts.outsidePrefixes(path, prefixes));
  /** The approval rules of a fixed backend have resolved the link. Those of a factory have no backend: the call fails. */
  const refuseUnasked = (path: string, real: string, asks: (each: string) => boolean): void => {
    if (typeof rules.source === "function" && asks(real) && !asks(path)) throw new Error(texts.useTarget(path, real));
  };
  const judge = (path: string, real: string, operation: FileOperation): void => {
    for (const each of new Set([path, real])) {
      if (!isAccessible(rules, each, operation)) throw outside(path);
      if (modeOf(operation, each) === "deny") throw new UndangleError("file/denied", { path, operation });
    }
    refuseUnasked(path, real, (each) => modeOf(operation, each) === "ask");
  };
  return {
    backend,
    texts,
    language,
    async path(text, operation) {
      const path = canonical(text);
      judge(path, path, operation);
      judge(path, await realPathOf(backend, path), operation);
      return path;
    },
    async directory(text) {
      const path = canonical(text);
      const check = (each: string): void => {
        if (!isAccessible(rules, each, "read") && !isOnTheWay(each)) throw outside(path);
        if (modeOf("read", each) === "deny") throw new UndangleError("file/denied", { path, operation: "read" });
      };
      check(path);
      const real = await realPathOf(backend, path);
      if (real === path) return { path, isVisible: isShown };
      check(real);
      refuseUnasked(path, real, (each) => modesIn("read", each).has("ask"));
      const realOf = (each: string): string =>
        each === path ? real : prefixOf(real) + each.slice(prefixOf(path).length);
      return { path, isVisible: (each) => isShown(each) && isShown(realOf(each)) };
    },
    async deletion(text) {
      const path = canonical(text);
      judge(path, path, "write");
      const real = await realEntryOf(backend, path);
      judge(path, real, "write");
      refuseUnasked(path, real, (each) => modesIn("write", each).has("ask"));
      const checkDirectory = (): void => {
        if ([path, real].some((each) => modesIn("write", each).has("deny"))) throw new Error(texts.deniedBelow(path));
      };
      return { path, checkDirectory };
    },
  };
}

/** The error of a tool in the language of the agent, without paths of the host. */
export function fileError(error: unknown, language: Language, path = "/"): unknown {
  if (error instanceof UndangleError) return new Error(errorText(error, language));
  if (!(error instanceof Error) || !("syscall" in error)) return error;
  const reason = "code" in error ? String(error.code) : error.name; // its message contains the path of the host
  return new Error(errorText(new UndangleError("file/failed", { path, reason }), language));
}
