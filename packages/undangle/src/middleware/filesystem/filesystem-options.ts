import { UndangleError } from "#core";
import { canonicalPath, combinePermissions, comparablePath, compilePermissions, stateFiles } from "#files";
import type { FileBackendSource, PermissionRule, Permissions } from "#files";

import { demand, demandFiles, isCount, isListOf, isText, refuseUnknown } from "../option-checks.ts";
import { isSeenByShell } from "./file-access.ts";
import type { PreviewSize } from "./preview.ts";
import { fileToolNames } from "./tool-texts.ts";
import type { FileToolName, ToolNames } from "./tool-texts.ts";

/** Which files a model can use, and how. */
export interface FilesystemOptions {
  /**
   * The files, or a function that gives them for each call and for each request to the model. By default the files are in
   * the thread (`stateFiles`).
   */
  readonly backend?: FileBackendSource | undefined;
  /** The tools to offer. All by default; `delete` and `execute` only if the backend has them. */
  readonly tools?: readonly FileToolName[] | undefined;
  /** Other names for tools. */
  readonly names?: Readonly<Partial<Record<FileToolName, string>>> | undefined;
  /** Other descriptions for tools. */
  readonly descriptions?: Readonly<Partial<Record<FileToolName, string>>> | undefined;
  /** The first rule that matches an operation and a path applies. Everything is allowed by default. */
  readonly permissions?: readonly PermissionRule[] | undefined;
  /** Rules that apply too: an operation needs to be allowed by both lists. For agents that may do less than another one. */
  readonly outerPermissions?: readonly PermissionRule[] | undefined;
  /** The only directories that the tools can use. */
  readonly allowedPrefixes?: readonly string[] | undefined;
  /** Which results are stored in files because of their length. False for none. */
  readonly evict?: EvictOptions | false | undefined;
  /** Which user messages are stored in files because of their length. False for none. */
  readonly evictMessages?: EvictMessagesOptions | false | undefined;
  /** True if a file can be edited only after it was read. */
  readonly mustRead?: boolean | undefined;
  /** The longest time of a command in milliseconds. One hour by default. */
  readonly maxTimeout?: number | undefined;
}

export interface EvictOptions {
  /** Results with more than four times as many characters are stored. 20,000 by default. */
  readonly tokens?: number | undefined;
  /** Names of tools whose results are never stored. */
  readonly exclude?: readonly string[] | undefined;
  /** `/large_tool_results` by default. */
  readonly directory?: string | undefined;
  /** How much of a stored result the model sees. */
  readonly preview?: Partial<PreviewSize> | undefined;
  /** Limits the stored results of a thread. The oldest are removed first. */
  readonly keep?: { readonly results?: number | undefined; readonly bytes?: number | undefined } | undefined;
}

export interface EvictMessagesOptions {
  /** Messages with more than four times as many characters are stored. 50,000 by default. */
  readonly tokens?: number | undefined;
  /** `/conversation_history` by default. */
  readonly directory?: string | undefined;
}

/** The options with all defaults applied. */
export interface FilesystemSettings {
  readonly source: FileBackendSource;
  readonly tools: readonly FileToolName[];
  readonly names: ToolNames;
  readonly descriptions: Readonly<Partial<Record<FileToolName, string>>>;
  readonly permissions: Permissions;
  /** The lists of rules that apply. */
  readonly rules: readonly (readonly PermissionRule[])[];
  readonly prefixes: readonly string[];
  readonly evict: EvictSettings | undefined;
  readonly evictMessages: { readonly maxLength: number; readonly directory: string } | undefined;
  /** The most characters of a result of the tools themselves. */
  readonly maxLength: number;
  readonly mustRead: boolean;
  readonly maxTimeout: number;
}

export interface EvictSettings {
  readonly maxLength: number;
  readonly exclude: ReadonlySet<string>;
  readonly directory: string;
  readonly preview: PreviewSize;
  readonly keep: { readonly results: number; readonly bytes: number } | undefined;
}

/** Characters per token, as an estimate. */
const charactersPerToken = 4;

export const defaultPreview: PreviewSize = { head: 5, tail: 5, width: 1_000 };

const optionNames: Readonly<Record<keyof FilesystemOptions, true>> = {
  backend: true,
  tools: true,
  names: true,
  descriptions: true,
  permissions: true,
  outerPermissions: true,
  allowedPrefixes: true,
  evict: true,
  evictMessages: true,
  mustRead: true,
  maxTimeout: true,
};

/** Validates options and applies defaults. Throws `options/unknown` and `options/value`. */
export function readOptions(options: FilesystemOptions): FilesystemSettings {
  refuseUnknown(options, Object.keys(optionNames), "options");
  const { backend = stateFiles(), tools = fileToolNames, mustRead = false, maxTimeout = 3_600_000 } = options;
  const {
    names = {},
    descriptions = {},
    permissions: inner = [],
    outerPermissions: outer = [],
    allowedPrefixes = [],
  } = options;
  const { evict = {}, evictMessages = {} } = options;
  demandFiles(backend, "backend");
  demand(isListOf(tools, isToolName), "tools", tools, fileToolNames);
  demandMap(names, "names", (name) => typeof name === "string" && name !== "");
  demandMap(descriptions, "descriptions", (text) => typeof text === "string");
  demand(isListOf(allowedPrefixes, isText), "allowedPrefixes", allowedPrefixes, ["a list of directories"]);
  demand(typeof mustRead === "boolean", "mustRead", mustRead, ["true", "false"]);
  demand(isCount(maxTimeout), "maxTimeout", maxTimeout, ["milliseconds"]);
  const compiled = [compilePermissions(inner), compilePermissions(outer, "outerPermissions")];
  const stored = evict === false ? undefined : readEvict(evict);
  const messages = evictMessages === false ? undefined : readEvictMessages(evictMessages);
  const settings: FilesystemSettings = {
    source: backend,
    tools: fileToolNames.filter((name) => tools.includes(name) && mayHave(backend, name)),
    names: Object.fromEntries(fileToolNames.map((name) => [name, names[name] ?? name])) as unknown as ToolNames, // one per tool
    descriptions,
    permissions: combinePermissions(compiled),
    rules: [inner, outer].filter(({ length }) => length > 0),
    prefixes: allowedPrefixes.map((prefix) => directoryOf(prefix, "allowedPrefixes")),
    evict: stored,
    evictMessages: messages,
    maxLength: Math.max(10_000, stored?.maxLength ?? 20_000 * charactersPerToken), // shorter pages would be mostly notices
    mustRead,
    maxTimeout,
  };
  refuseContradictions(settings);
  return settings;
}

/** False if a backend will never support a tool. That of a function is decided for each request. */
function mayHave(backend: FileBackendSource, name: FileToolName): boolean {
  if (typeof backend === "function" || (name !== "delete" && name !== "execute")) return true;
  return backend[name] !== undefined;
}

/** Throws for options that would make files unreachable, or rules ineffective. */
function refuseContradictions({ source, tools, permissions, rules, evict, evictMessages }: FilesystemSettings): void {
  const stored = [
    ...(evict === undefined ? [] : [["evict", evict.directory] as const]),
    ...(evictMessages === undefined ? [] : [["evictMessages", evictMessages.directory] as const]),
  ];
  for (const [option, directory] of stored) {
    const isReadable = tools.includes("read_file");
    demand(isReadable, "tools", tools, [`a list with read_file, which reads stored results; or ${option}: false`]);
    const isDenied = permissions.modesIn("read", directory).has("deny");
    const allowed = [`a directory that no rule denies to read, so that the model can read what is stored there`];
    demand(!isDenied, `${option}.directory`, directory, allowed);
  }
  if (typeof source === "function" || rules.length === 0) return; // a function is checked for each call
  const allowed = ["no rules, because the shell of this backend sees all files", "a backend without execute"];
  demand(!isSeenByShell(source, permissions), "permissions", rules, allowed);
}

function readEvict(options: EvictOptions): EvictSettings {
  refuseUnknown(options, ["tokens", "exclude", "directory", "preview", "keep"], "evict");
  const { tokens = 20_000, exclude = ["write_todos"], directory = "/large_tool_results", preview = {}, keep } = options;
  demand(isCount(tokens) && tokens > 0, "evict.tokens", tokens, ["a whole number of at least 1"]);
  demand(isListOf(exclude, isText), "evict.exclude", exclude, ["a list of tool names"]);
  refuseUnknown(preview, Object.keys(defaultPreview), "evict.preview");
  const size = { ...defaultPreview, ...preview };
  demand(Object.values(size).every(isCount), "evict.preview", preview, ["whole numbers"]);
  if (keep !== undefined) refuseUnknown(keep, ["results", "bytes"], "evict.keep");
  const { results = Infinity, bytes = Infinity } = keep ?? {};
  const isLimit = (value: unknown): boolean => value === Infinity || (isCount(value) && Number(value) > 0);
  demand(isLimit(results) && isLimit(bytes), "evict.keep", keep, ["whole numbers of at least 1"]);
  return {
    maxLength: tokens * charactersPerToken,
    exclude: new Set(exclude),
    directory: directoryOf(directory, "evict.directory"),
    preview: size,
    keep: keep === undefined ? undefined : { results, bytes },
  };
}

function readEvictMessages(options: EvictMessagesOptions): FilesystemSettings["evictMessages"] {
  refuseUnknown(options, ["tokens", "directory"], "evictMessages");
  const { tokens = 50_000, directory = "/conversation_history" } = options;
  demand(isCount(tokens) && tokens > 0, "evictMessages.tokens", tokens, ["a whole number of at least 1"]);
  return {
    maxLength: tokens * charactersPerToken,
    directory: directoryOf(directory, "evictMessages.directory"),
  };
}

function directoryOf(text: unknown, option: string): string {
  const canonical = typeof text === "string" && text.startsWith("/") ? canonicalPath(text) : undefined;
  if (canonical?.path !== undefined) return comparablePath(canonical.path);
  throw new UndangleError("options/value", { option, value: text, allowed: ["an absolute directory"] });
}

function demandMap(map: unknown, option: string, fits: (value: unknown) => boolean): void {
  refuseUnknown(map, fileToolNames, option);
  for (const [name, value] of Object.entries(map as object))
    demand(value === undefined || fits(value), `${option}.${name}`, value, ["a non-empty string"]);
}

const isToolName = (value: unknown): boolean => fileToolNames.some((name) => name === value);
