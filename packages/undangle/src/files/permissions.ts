import { canonicalPath, comparablePath, UndangleError } from "#core";

import { compileGlob } from "./match-glob.ts";
import type { Glob } from "./match-glob.ts";
import { ancestorsOf } from "./path-segments.ts";

export type FileOperation = "read" | "write";

/** `ask`: the call waits for a person. */
export type PermissionMode = "allow" | "deny" | "ask";

/**
 * Who may do what with which files. The first rule that matches an operation and a path applies. A rule that denies or
 * asks for a directory also matches everything in it.
 */
export interface PermissionRule {
  readonly operations: readonly FileOperation[];
  /** Absolute patterns, such as `/secrets/**`. */
  readonly paths: readonly string[];
  readonly mode: PermissionMode;
}

/** Compiled rules. Paths are canonical. */
export interface Permissions {
  /** The mode of one path. `allow` if no rule matches. */
  readonly modeOf: (operation: FileOperation, path: string) => PermissionMode;
  /**
   * The modes that rules may give to a path, to anything in it, or to a directory above it. An operation on a whole
   * directory is allowed only if none of them is `deny`.
   */
  readonly modesIn: (operation: FileOperation, path: string) => ReadonlySet<PermissionMode>;
  /** The directories that the rules are about: the longest beginnings of their patterns without wildcards. */
  readonly directories: readonly string[];
}

/** Compiles rules. Throws `options/value` for a rule that could not apply as it was meant. */
export function compilePermissions(rules: readonly PermissionRule[], option = "permissions"): Permissions {
  const isList: boolean = Array.isArray(rules);
  if (!isList) throw invalid(option, rules, ["a list of { operations, paths, mode }"]);
  const compiled = rules.map((rule, i) => compileRule(rule, `${option}[${i}]`));
  return {
    modeOf: (operation, path) => {
      const name = comparablePath(path);
      const found = compiled.find(({ operations, matches }) => operations.includes(operation) && matches(name));
      return found?.mode ?? "allow";
    },
    modesIn(operation, path) {
      const name = comparablePath(path);
      const modes = new Set<PermissionMode>();
      for (const rule of compiled) {
        if (!rule.operations.includes(operation) || !rule.overlaps(name)) continue;
        modes.add(rule.mode);
        if (rule.covers(name)) return modes; // later rules cannot match anything in the path
      }
      return modes;
    },
    directories: compiled.flatMap(({ directories }) => directories),
  };
}

/** Lists of rules that all apply: an operation is allowed only if each list allows it. */
export function combinePermissions(lists: readonly Permissions[]): Permissions {
  const [only] = lists;
  if (only !== undefined && lists.length === 1) return only;
  return {
    modeOf: (operation, path) => strictest(lists.map(({ modeOf }) => modeOf(operation, path))),
    modesIn: (operation, path) => new Set(lists.flatMap(({ modesIn }) => [...modesIn(operation, path)])),
    directories: lists.flatMap(({ directories }) => directories),
  };
}

const strictest = (modes: readonly PermissionMode[]): PermissionMode =>
  (["deny", "ask"] as const).find((mode) => modes.includes(mode)) ?? "allow";

/**
 * The rules for a backend with symbolic links. Where the beginning of a pattern is a link, a rule that denies or asks also
 * applies to what the link leads to. Rules that allow do not: both paths of a file have to be allowed.
 */
export async function followRules(
  rules: readonly PermissionRule[],
  realPath: (path: string) => Promise<string>,
): Promise<readonly PermissionRule[]> {
  const follow = async (path: string): Promise<readonly string[]> => {
    const pattern = canonicalPath(path).path ?? path;
    const directory = literalPart(pattern);
    const real = await realPath(directory).catch((error: unknown) => {
      if (error instanceof UndangleError) return directory; // it leads nowhere
      throw error;
    });
    if (real === directory) return [path];
    const rest = pattern.slice(directory.length);
    return [path, `${real.replaceAll(/[*?[{]/gu, "[$&]")}${rest}`];
  };
  return Promise.all(
    rules.map(async (rule) =>
      rule.mode === "allow" ? rule : { ...rule, paths: (await Promise.all(rule.paths.map(follow))).flat() },
    ),
  );
}

interface CompiledRule {
  readonly operations: readonly FileOperation[];
  readonly mode: PermissionMode;
  readonly matches: (path: string) => boolean;
  readonly overlaps: (path: string) => boolean;
  /** True if the rule certainly matches the path and everything in it. */
  readonly covers: (path: string) => boolean;
  readonly directories: readonly string[];
}

const keys = ["operations", "paths", "mode"];

function compileRule(rule: PermissionRule, option: string): CompiledRule {
  if (typeof rule !== "object" || rule === null) throw invalid(option, rule, [`{ ${keys.join(", ")} }`]);
  const unknown = Object.keys(rule).find((key) => !keys.includes(key));
  if (unknown !== undefined)
    throw new UndangleError("options/unknown", { option: `${option}.${unknown}`, allowed: keys });
  const { operations, paths, mode } = rule;
  if (!isFilledList(operations) || !operations.every((each) => each === "read" || each === "write"))
    throw invalid(`${option}.operations`, operations, ["read", "write"]);
  if (!isFilledList(paths)) throw invalid(`${option}.paths`, paths, ["a list of patterns"]);
  if (!["allow", "deny", "ask"].includes(mode)) throw invalid(`${option}.mode`, mode, ["allow", "deny", "ask"]);
  const patterns = paths.map((path, i) => patternOf(path, `${option}.paths[${i}]`));
  const globs: readonly Glob[] = patterns.map((pattern) => compileGlob(pattern, { dot: true }));
  const isMatch = (path: string): boolean => globs.some((glob) => glob.matches(path));
  const isInMatch = (path: string): boolean => isMatch(path) || ancestorsOf(path).some(isMatch);
  const isRestriction = mode !== "allow"; // one that names only a directory is meant for its files
  return {
    operations: [...operations],
    mode,
    matches: isRestriction ? isInMatch : isMatch,
    overlaps: (path) => isInMatch(path) || globs.some((glob) => glob.mayMatchIn(path)),
    covers: (path) =>
      (isRestriction && isInMatch(path)) ||
      globs.some((glob, i) => patterns[i]?.endsWith("/**") === true && glob.matches(path)),
    directories: patterns.map(literalPart),
  };
}

/** A pattern in the one spelling of paths, so that no other spelling of a path evades it. */
function patternOf(path: unknown, option: string): string {
  const allowed = ["an absolute pattern without `..` and `~`, such as /secrets/**"];
  if (typeof path !== "string" || !path.startsWith("/")) throw invalid(option, path, allowed);
  const canonical = canonicalPath(path);
  if (canonical.path === undefined) throw invalid(option, path, allowed);
  return comparablePath(canonical.path);
}

/** The directory of a pattern: its segments before the first that has a wildcard, without the last segment. */
export function literalPart(pattern: string): string {
  const segments = pattern.split("/");
  const wild = segments.findIndex((segment) => /[*?[{\\]/u.test(segment));
  return segments.slice(0, wild === -1 ? segments.length : wild).join("/") || "/";
}

const isFilledList = (value: unknown): value is readonly unknown[] => Array.isArray(value) && value.length > 0;

const invalid = (option: string, value: unknown, allowed: readonly string[]): UndangleError =>
  new UndangleError("options/value", { option, value, allowed });
