import { UndangleError } from "#core";
import type { HookContext, Middleware } from "#engine";
import { defineMiddleware } from "#engine";
import { canonicalPath, readText, stateFiles } from "#files";
import type { FileBackend, FileBackendSource } from "#files";
import type { ModelRequest } from "#model";

import { fileError } from "../filesystem/file-access.ts";
import { openFiles } from "../open-files.ts";
import { demand, demandFiles, isCount, isListOf, isText, refuseUnknown } from "../option-checks.ts";
import { memorySection } from "./memory-section.ts";
import type { LoadedSource } from "./memory-section.ts";
import { memoryTexts, slot } from "./memory-texts.ts";

/** Which files a model always knows. */
export interface MemoryOptions {
  /** The paths of the files, such as `/AGENTS.md`. Where they disagree, the last one applies. */
  readonly sources: readonly string[];
  /**
   * The files, or a function that gives them for each request to the model. By default the files are in the thread
   * (`stateFiles`).
   */
  readonly files?: FileBackendSource | undefined;
  /** The most characters of each file. 20,000 by default. */
  readonly limit?: number | undefined;
  /** The text around the files, which are inserted at `{agent_memory}`. Null reads the files and adds nothing. */
  readonly prompt?: string | null | undefined;
}

/** The reasons why sources could not be read, by path: so that each is reported once. */
type MemoryState = Readonly<Record<string, string>>;

/**
 * Adds files such as AGENTS.md to the system text of each request. They are read each time, so that a change by any program
 * is in the next request. Sizes and times of files would not show every change: those of a link are its own, and some
 * programs give all files the same time.
 */
export function memory(options: MemoryOptions): Middleware {
  const { sources, files, limit, prompt } = readOptions(options);
  return defineMiddleware<MemoryState, MemoryState>({
    name: "memory",
    state: { initial: {}, reduce: (_, update) => update },
    // `beforeModel` hooks of all middleware have run by then: the static text is before the memory.
    wrapModelCall: (next) => async (request, context) => {
      const loaded = await load(sources, files, context);
      reportUnread(loaded, context);
      if (prompt === null) return next(request);
      const { language, tools } = request;
      const section = memorySection(loaded, { limit, prompt: prompt ?? memoryTexts[language].prompt, language, tools });
      return next(section === undefined ? request : { ...request, system: withMemory(request.system, section) });
    },
  });
}

/** The memory is after the text that stays the same, and changes more often. */
const withMemory = (system: ModelRequest["system"], section: string): ModelRequest["system"] => [
  ...system,
  {
    type: "text",
    path: "",
    text: system.some(({ text }) => text !== "") ? `\n\n${section}` : section,
    isVolatile: true,
  },
];

/** Reads all sources at the same time. */
async function load(
  sources: readonly string[],
  files: FileBackendSource,
  context: HookContext<MemoryState, MemoryState>,
): Promise<readonly LoadedSource[]> {
  const { language } = context;
  const opened = openFiles(files, context);
  return Promise.all(
    sources.map(async (path): Promise<LoadedSource> => {
      try {
        const text = readText(await readIfPresent(await opened, path));
        return text === undefined ? { path, text: "", problem: memoryTexts[language].notText(path) } : { path, text };
      } catch (error) {
        const shown = fileError(error, language, path);
        return { path, text: "", problem: shown instanceof Error ? shown.message : String(shown) };
      }
    }),
  );
}

async function readIfPresent(backend: FileBackend, path: string): Promise<Uint8Array> {
  try {
    return await backend.read(path);
  } catch (error) {
    if (error instanceof UndangleError && error.is("file/missing")) return new Uint8Array();
    throw error;
  }
}

/** Warns about sources that cannot be read, once for each reason. */
function reportUnread(
  loaded: readonly LoadedSource[],
  { state, warn, language }: Pick<HookContext<MemoryState, MemoryState>, "state" | "warn" | "language">,
): void {
  const known = state.get();
  const unread = loaded.flatMap(({ path, problem }) => (problem === undefined ? [] : [[path, problem] as const]));
  const fresh = unread.filter(([path, problem]) => !Object.hasOwn(known, path) || known[path] !== problem);
  for (const [path, problem] of fresh) warn(memoryTexts[language].unread(path, problem));
  if (fresh.length > 0 || unread.length !== Object.keys(known).length) state.update(Object.fromEntries(unread));
}

const optionNames: Readonly<Record<keyof MemoryOptions, true>> = {
  sources: true,
  files: true,
  limit: true,
  prompt: true,
};

/** The options with all defaults applied. */
interface MemorySettings extends MemoryOptions {
  readonly files: FileBackendSource;
  readonly limit: number;
}

function readOptions(options: MemoryOptions): MemorySettings {
  refuseUnknown(options, Object.keys(optionNames), "options");
  const { sources, files = stateFiles(), limit = 20_000, prompt } = options;
  demand(isListOf(sources, isText) && sources.length > 0, "sources", sources, ["a list of paths, such as /AGENTS.md"]);
  demandFiles(files, "files");
  demand(isCount(limit) && limit > 0, "limit", limit, ["a whole number of at least 1"]);
  const isPrompt = prompt === undefined || prompt === null || (typeof prompt === "string" && prompt.includes(slot));
  demand(isPrompt, "prompt", prompt, [`a text that contains ${slot}`, "null"]);
  return { sources: sources.map(sourcePath), files, limit, prompt };
}

function sourcePath(text: string, place: number): string {
  const { path } = canonicalPath(text);
  if (path !== undefined && path !== "/") return path;
  throw new UndangleError("options/value", {
    option: `sources[${place}]`,
    value: text,
    allowed: ["the path of a file"],
  });
}
