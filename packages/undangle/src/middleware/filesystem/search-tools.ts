import type { AnyTool } from "#engine";
import { createSearchLimit, searchLimits } from "#files";

import { anchorOf } from "./ask-rules.ts";
import type { FileAccess } from "./file-access.ts";
import { fileTool } from "./file-tool.ts";
import type { FileTooling } from "./file-tool.ts";
import { globText, grepText, listingText, looksLikeRegex } from "./result-lists.ts";

const globs = createSearchLimit(searchLimits.glob);
const greps = createSearchLimit(searchLimits.grep);

/** `ls`, `glob` and `grep`. */
export function searchTools(tooling: FileTooling): Readonly<Record<"ls" | "glob" | "grep", AnyTool>> {
  const { maxLength, names } = tooling;
  const lateWith =
    (name: string, { texts }: FileAccess) =>
    ({ timeout }: { readonly timeout: number }): Error =>
      new Error(texts.tooSlow(name, timeout / 1000));
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
        const { files, failures } = await globs({
          signal,
          search: (until) => backend.glob({ ...query, signal: until }),
          late: lateWith(names.glob, access),
        });
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
        const found = await greps({
          signal,
          search: (until) => backend.grep({ ...query, signal: until }),
          late: lateWith(names.grep, access),
        });
        const files = found.files.filter((file) => isVisible(file.path));
        const hint = files.length === 0 && !isRegex && looksLikeRegex(pattern) ? texts.looksLikeRegex : undefined;
        const shown = grepText({ ...found, files }, { mode, maxLength: maxLength - 1_000, hint }, texts);
        return files.length === 0
          ? [texts.noMatch(pattern, path), shown].filter((text) => text !== "").join("\n")
          : shown;
      },
    }),
  };
}
