import { canonicalPath, UndangleError } from "#core";

import type {
  DeletedFiles,
  FileBackend,
  FileBackendSource,
  FileInfo,
  GlobQuery,
  GlobResult,
  GrepFile,
  GrepQuery,
  GrepResult,
} from "./file-backend.ts";
import { compileGlob } from "./match-glob.ts";
import { ancestorsOf, byPath, compareText, isWithin, prefixOf } from "./path-segments.ts";

/**
 * One tree of several backends. A path belongs to the route with the longest prefix of whole segments, else to the
 * default backend. `/memories` and `/memories/` are the same route, and `/memories` is the root of its backend. Commands
 * run in the default backend, which sees nothing of the routes.
 */
export function compositeFiles(
  defaultBackend: FileBackendSource,
  routes: Readonly<Record<string, FileBackendSource>>,
): FileBackendSource {
  const sources = Object.entries(routes).map(([prefix, source]) => ({ at: routePath(prefix), source }));
  const doubled = sources.find(({ at }, index) => sources.findIndex((other) => other.at === at) !== index);
  if (doubled !== undefined) throw refusedRoute(doubled.at, "each route once");
  sources.sort((first, second) => compareText(first.at, second.at));
  const known = sources.filter(isResolved);
  if (typeof defaultBackend !== "function" && known.length === sources.length) return joined(defaultBackend, known);
  return async (context) => {
    const open = async (source: FileBackendSource): Promise<FileBackend> =>
      typeof source === "function" ? source(context) : source;
    const [base, ...backends] = await Promise.all([defaultBackend, ...sources.map(({ source }) => source)].map(open));
    if (base === undefined) throw new Error("no backend"); // the list has at least one
    return joined(
      base,
      sources.flatMap(({ at }, index) => (backends[index] === undefined ? [] : [{ at, source: backends[index] }])),
    );
  };
}

interface Route {
  readonly at: string;
  readonly source: FileBackend;
}

const isResolved = (route: { readonly at: string; readonly source: FileBackendSource }): route is Route =>
  typeof route.source !== "function";

function routePath(prefix: string): string {
  const { path } = canonicalPath(prefix);
  if (path === undefined || path === "/" || !prefix.startsWith("/"))
    throw refusedRoute(prefix, "paths of directories that begin with /, other than / itself");
  return path;
}

const refusedRoute = (value: string, allowed: string): UndangleError =>
  new UndangleError("options/value", { option: "routes", value, allowed: [allowed] });

function joined(base: FileBackend, routes: readonly Route[]): FileBackend {
  /** The backends by their directory, from the longest to the shortest. */
  const parts: readonly Part[] = [
    ...routes.toReversed().map(({ at, source }) => ({ at, files: source })),
    { at: "/", files: base },
  ].sort((first, second) => second.at.length - first.at.length);
  const partOf = (path: string): Part => parts.find(({ at }) => isWithin(path, at)) ?? { at: "/", files: base };
  /** The routes below a directory. */
  const routesIn = (directory: string): readonly string[] =>
    routes.map(({ at }) => at).filter((at) => at !== directory && isWithin(at, directory));

  const use = async <T>(path: string, work: (files: FileBackend, inner: string) => Promise<T>): Promise<T> => {
    const { at, files } = partOf(path);
    try {
      return await work(files, innerPath(at, path));
    } catch (error) {
      throw outerError(at, error);
    }
  };

  const backend: FileBackend = {
    stat: (path) =>
      use(path, async (files, inner) => {
        if (routesIn(path).length > 0) return { path, type: "directory" };
        const info = await files.stat(inner);
        return info === undefined ? undefined : { ...info, path };
      }),

    list: async (path) => {
      const below = new Set(routesIn(path).map((at) => childOn(path, at)));
      const infos = await use(path, (files, inner) => files.list(inner)).catch((error: unknown) => {
        if (below.size > 0 && isFileError(error, "file/missing")) return [];
        throw error;
      });
      const own = infos.map((info) => outerInfo(partOf(path).at, info)).filter((info) => !below.has(info.path));
      return [...own, ...[...below].map((at): FileInfo => ({ path: at, type: "directory" }))].sort(byPath);
    },

    read: (path) => use(path, (files, inner) => files.read(inner)),

    write: async (path, data) => {
      if (routesIn(path).length > 0) throw new UndangleError("file/is-directory", { path });
      return use(path, (files, inner) => files.write(inner, data));
    },

    update: async (path, change) => {
      if (routesIn(path).length > 0) throw new UndangleError("file/is-directory", { path });
      return use(path, (files, inner) => files.update(inner, change));
    },

    glob: (query) => globParts(partsFor(query.path), query),
    grep: (query) => grepParts(partsFor(query.path), query),
  };

  function partsFor(path: string): readonly Part[] {
    return [partOf(path), ...parts.filter(({ at }) => at !== path && isWithin(at, path) && at !== partOf(path).at)];
  }

  const hasLinks = parts.some(({ files }) => files.realPath !== undefined);
  const canDelete = parts.some(({ files }) => files.delete !== undefined);
  return {
    ...backend,
    ...(hasLinks && {
      realPath: (path: string) =>
        use(path, async (files, inner) => outerPath(partOf(path).at, (await files.realPath?.(inner)) ?? inner)),
    }),
    ...(canDelete ? { delete: (path: string) => deleteParts(path, partsFor(path)) } : {}),
    ...(base.execute === undefined
      ? {}
      : {
          execute: base.execute.bind(base),
          ...(base.canExecute !== undefined && { canExecute: base.canExecute.bind(base) }),
          shellSees: (directory: string) => partOf(directory).at === "/",
        }),
  };
}

interface Part {
  /** The directory of the tree that is the root of the backend. */
  readonly at: string;
  readonly files: FileBackend;
}

const innerPath = (at: string, path: string): string => (at === "/" ? path : path.slice(at.length) || "/");
const outerPath = (at: string, inner: string): string => (at === "/" ? inner : inner === "/" ? at : at + inner);
const outerInfo = (at: string, info: FileInfo): FileInfo => ({ ...info, path: outerPath(at, info.path) });

/** The child of a directory that a path below it is in. */
function childOn(directory: string, path: string): string {
  const end = path.indexOf("/", prefixOf(directory).length);
  return end === -1 ? path : path.slice(0, end);
}

const isFileError = (error: unknown, code: "file/missing"): error is UndangleError =>
  error instanceof UndangleError && error.is(code);

/** The error of a backend, with the path of the tree. */
function outerError(at: string, error: unknown): unknown {
  if (at === "/" || !(error instanceof UndangleError) || !error.code.startsWith("file/")) return error;
  const { code, data, cause } = error;
  if (!("path" in data) || typeof data.path !== "string" || !data.path.startsWith("/")) return error;
  const moved = { ...data, path: outerPath(at, data.path) };
  // The data belongs to the code: only its path is another.
  return new UndangleError(...([code, moved, cause] as unknown as ConstructorParameters<typeof UndangleError>));
}

/** Every name, also one that begins with a dot. */
const everyName = "{*,.*}";

/** What a part is asked for: its own directory, or all of it if it is below the directory of the query. */
const innerStart = (at: string, path: string): string => (isWithin(path, at) ? innerPath(at, path) : "/");

/** The pattern means the same in the part as in the tree. */
const isSameInside = (pattern: string, at: string, path: string): boolean =>
  at === "/" || (!pattern.includes("/") && pattern !== "**") || (!pattern.startsWith("/") && isWithin(path, at));

/** Results of one part, or the reason why it has none. */
async function askPart<T>(
  { at, files }: Part,
  { isFirst, isOnly }: { readonly isFirst: boolean; readonly isOnly: boolean },
  ask: (files: FileBackend) => Promise<T>,
): Promise<{ readonly result?: T; readonly failures: readonly string[] }> {
  try {
    return { result: await ask(files), failures: [] };
  } catch (error) {
    if (isOnly || (error instanceof Error && error.name === "AbortError")) throw outerError(at, error);
    if (isFirst && isFileError(error, "file/missing")) return { failures: [] }; // only routes are in the directory
    const outer = outerError(at, error);
    return { failures: [outer instanceof Error ? outer.message : `The search in ${at} failed.`] };
  }
}

const inPart = (at: string, failures: readonly string[]): readonly string[] =>
  at === "/" ? failures : failures.map((failure) => `In ${at}: ${failure}`);

type Visible = (path: string) => boolean;

/** Paths of a part that the query may show. What a route hides in the part above it is not shown. */
function visibleIn(part: Part, parts: readonly Part[], isVisible: Visible | undefined): Visible {
  const below = parts.filter(({ at }) => at !== part.at && isWithin(at, part.at)).map(({ at }) => at);
  return (inner) => {
    const path = outerPath(part.at, inner);
    return !below.some((at) => isWithin(path, at)) && (isVisible?.(path) ?? true);
  };
}

async function globParts(parts: readonly Part[], query: GlobQuery): Promise<GlobResult> {
  const glob = compileGlob(query.pattern, { base: query.path });
  const files: FileInfo[] = [];
  const failures: string[] = [];
  for (const [index, part] of parts.entries()) {
    const { at } = part;
    if (index > 0 && !isReachable(query, at)) continue;
    const isSame = isSameInside(query.pattern, at, query.path);
    const isVisible = visibleIn(part, parts, query.isVisible);
    const asked = await askPart(part, { isFirst: index === 0, isOnly: parts.length === 1 }, (backend) =>
      backend.glob({
        pattern: isSame ? query.pattern : everyName,
        path: innerStart(at, query.path),
        signal: query.signal,
        isVisible: isSame
          ? isVisible
          : (inner) => {
              const path = outerPath(at, inner);
              return (glob.matches(path) || glob.mayMatchIn(path)) && isVisible(inner);
            },
      }),
    );
    const found = (asked.result?.files ?? []).map((info) => outerInfo(at, info));
    files.push(...found.filter(({ path }) => isSame || glob.matches(path)));
    failures.push(...asked.failures, ...inPart(at, asked.result?.failures ?? []));
  }
  return { files: files.sort(byPath), failures };
}

/** The directories between the searched one and a route are visible. */
const isReachable = ({ path, isVisible }: Pick<GlobQuery, "path" | "isVisible">, at: string): boolean =>
  isVisible === undefined ||
  [...ancestorsOf(at), at].every((each) => !isWithin(each, path) || each === path || isVisible(each));

async function grepParts(parts: readonly Part[], query: GrepQuery): Promise<GrepResult> {
  const files: GrepFile[] = [];
  const failures: string[] = [];
  let left = query.maxCount;
  let skipped = 0;
  let isCut = false;
  for (const [index, part] of parts.entries()) {
    const { at } = part;
    if (index > 0 && !isReachable(query, at)) continue;
    const asked = await askPart(part, { isFirst: index === 0, isOnly: parts.length === 1 }, async (backend) => {
      const isSame = query.glob === undefined || isSameInside(query.glob, at, query.path);
      const isVisible = visibleIn(part, parts, query.isVisible);
      const inner = { ...query, path: innerStart(at, query.path), maxCount: left, isVisible };
      return backend.grep(isSame ? inner : { ...inner, ...(await filterOf(part, parts, query)) });
    });
    const { result } = asked;
    failures.push(...asked.failures, ...inPart(at, result?.failures ?? []));
    if (result === undefined) continue;
    files.push(...result.files.map((file) => ({ ...file, path: outerPath(at, file.path) })));
    skipped += result.skipped;
    for (const { count } of result.files) left -= count;
    isCut = result.isCut;
    if (isCut) break;
  }
  return { files: files.sort(byPath), isCut, skipped, failures };
}

/** Limits a search to files of a part that match a pattern of the tree, which the part cannot understand itself. */
async function filterOf(
  part: Part,
  parts: readonly Part[],
  query: GrepQuery,
): Promise<Pick<GrepQuery, "glob" | "isVisible">> {
  const { glob: pattern = everyName, path, isVisible, signal } = query;
  const isOwn = visibleIn(part, parts, isVisible);
  const { files } = await globParts([part], {
    pattern,
    path,
    isVisible: (each) => isOwn(innerPath(part.at, each)),
    signal,
  });
  const shown = new Set(files.flatMap((file) => [file.path, ...ancestorsOf(file.path)]));
  return { glob: undefined, isVisible: (inner) => shown.has(outerPath(part.at, inner)) };
}

async function deleteParts(path: string, parts: readonly Part[]): Promise<DeletedFiles> {
  if (path === "/") throw new UndangleError("file/path", { path, reason: "root" });
  const failures: string[] = [];
  let count = 0;
  let isFound = false;
  for (const [index, part] of parts.entries()) {
    const { at } = part;
    const asked = await askPart(part, { isFirst: index === 0, isOnly: parts.length === 1 }, async (backend) => {
      // The root of a backend stays: only what is in it is deleted.
      const isInside = isWithin(path, at) && path !== at;
      const targets = isInside ? [innerPath(at, path)] : (await backend.list("/")).map((info) => info.path);
      if (backend.delete === undefined) throw new UndangleError("file/read-only", { path: targets[0] ?? "/" });
      const deleted: DeletedFiles[] = [];
      for (const target of targets) deleted.push(await backend.delete(target));
      return deleted;
    });
    isFound ||= asked.result !== undefined || asked.failures.length > 0;
    failures.push(...asked.failures);
    for (const deleted of asked.result ?? []) {
      count += deleted.files;
      failures.push(...inPart(at, deleted.failures ?? []));
    }
  }
  if (!isFound) throw new UndangleError("file/missing", { path });
  return failures.length === 0 ? { files: count } : { files: count, failures };
}
