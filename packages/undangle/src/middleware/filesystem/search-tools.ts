import type { AnyTool } from "#engine";

import { anchorOf } from "./ask-rules.ts";
import type { FileAccess } from "./file-access.ts";
import { fileTool } from "./file-tool.ts";
import type { FileTooling } from "./file-tool.ts";
import { globText, grepText, listingText, looksLikeRegex } from "./result-lists.ts";

/** Seconds after which a search is ended. */
const globSeconds = 10;
const grepSeconds = 15;

/** Searches of one kind that run at a time. Others wait. */
const mostSearches = 4;

/** `ls`, `glob` and `grep`. */
export function searchTools(tooling: FileTooling): Readonly<Record<"ls" | "glob" | "grep", AnyTool>> {
  const { maxLength, names } = tooling;
  const globs = createSearchLimit(names.glob, globSeconds);
  const greps = createSearchLimit(names.grep, grepSeconds);
  return {
    ls: fileTool("ls", tooling, {
      run: async ({ path: given = "/" }, access) => {
        const { path, isVisible } = await access.directory(given);
        const entries = (await access.backend.list(path)).filter((entry) => isVisible(entry.path));
        return entries.length === 0 ? access.texts.emptyDirectory(path) : listingText(entries, maxLength, access.texts);
      },
    }),

    glob: fileTool("glob", tooling, {
      run: async ({ pattern, path: given }, access, { signal }) => {
        const { backend, texts } = access;
        const { path, isVisible } = await access.directory(given ?? anchorOf(pattern));
        const query = { pattern, path, isVisible };
        const { files, failures } = await globs(access, signal, (until) => backend.glob({ ...query, signal: until }));
        const paths = files.map((file) => file.path).filter(isVisible);
        const found = paths.length === 0 ? texts.noMatch(pattern, path) : globText(paths, maxLength - 4_000, texts);
        return failures.length === 0 ? found : `${found}\n${texts.failures(failures).slice(0, 4_000)}`;
      },
    }),

    grep: fileTool("grep", tooling, {
      run: async (args, access, { signal }) => {
        const { backend, texts } = access;
        const { pattern, regex: isRegex = false, output_mode: mode = "files_with_matches" } = args;
        const { context = 0, max_count: maxCount = 1000 } = args;
        const { path, isVisible } = await access.directory(args.path ?? "/");
        const query = { pattern, isRegex, path, glob: args.glob, context, maxCount, isVisible };
        const found = await greps(access, signal, (until) => backend.grep({ ...query, signal: until }));
        const files = found.files.filter((file) => isVisible(file.path));
        const hint = files.length === 0 && !isRegex && looksLikeRegex(pattern) ? texts.looksLikeRegex : undefined;
        const shown = grepText({ ...found, files }, { mode, maxCount, maxLength: maxLength - 1_000, hint }, texts);
        return files.length === 0
          ? [texts.noMatch(pattern, path), shown].filter((text) => text !== "").join("\n")
          : shown;
      },
    }),
  };
}

/** Limits the time of each search, and how many run at a time. A search that is ended holds up no other. */
function createSearchLimit(
  name: string,
  seconds: number,
): <Found>(access: FileAccess, signal: AbortSignal, search: (until: AbortSignal) => Promise<Found>) => Promise<Found> {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async ({ texts }, signal, search) => {
    if (running >= mostSearches) await new Promise<void>((resolve) => void waiting.push(resolve));
    else running++;
    const limit = new AbortController();
    const { promise: late, reject } = Promise.withResolvers<never>();
    const end = (error: Error): void => {
      limit.abort(error);
      reject(error);
    };
    const timer = setTimeout(() => end(new Error(texts.tooSlow(name, seconds))), seconds * 1000);
    try {
      return await Promise.race([search(AbortSignal.any([signal, limit.signal])), late]);
    } finally {
      clearTimeout(timer);
      const next = waiting.shift();
      if (next === undefined) running--;
      else next();
    }
  };
}
