import { stateFiles } from "#files";
import type { FileBackendSource } from "#files";

import { readSizes } from "../context-size/size.ts";
import type { SizeOptions, SizeSettings } from "../context-size/size.ts";
import { directoryOf } from "../context-size/thread-file.ts";
import { demand, demandFiles, refuseUnknown } from "../option-checks.ts";

/** What is removed from old messages, and when. */
export interface ReductionOptions extends SizeOptions {
  /** Which arguments of old calls are shortened. False for none. */
  readonly arguments?: ReducedArguments | false | undefined;
  /** Which results of old calls are moved to files. None by default; `{}` for those over 2,000 characters. */
  readonly results?: ReducedResults | false | undefined;
  /** Nothing is changed unless it saves this many tokens, because each change invalidates the provider's cache. */
  readonly clearAtLeast?: number | undefined;
  /** Where results are stored. By default in the thread (`stateFiles`). */
  readonly files?: FileBackendSource | undefined;
  /** `/large_tool_results` by default. */
  readonly directory?: string | undefined;
}

export interface ReducedArguments {
  /** `write_file` and `edit_file` by default. */
  readonly tools?: readonly string[] | undefined;
  /** Texts with more characters are shortened. 2,000 by default. */
  readonly over?: number | undefined;
  /** How many characters of them stay. 20 by default. */
  readonly keepFirst?: number | undefined;
}

export interface ReducedResults {
  /** Results with more characters are moved. 2,000 by default. */
  readonly over?: number | undefined;
  /** Names of tools whose results stay. */
  readonly exclude?: readonly string[] | undefined;
}

/** The options with all defaults applied. */
export interface ReductionSettings extends SizeSettings {
  readonly arguments:
    | { readonly tools: ReadonlySet<string>; readonly over: number; readonly keepFirst: number }
    | undefined;
  readonly results: { readonly over: number; readonly exclude: ReadonlySet<string> } | undefined;
  readonly clearAtLeast: number;
  readonly files: FileBackendSource;
  readonly directory: string;
}

const names: Readonly<Record<keyof ReductionOptions, true>> = {
  arguments: true,
  results: true,
  trigger: true,
  keep: true,
  contextWindow: true,
  countTokens: true,
  clearAtLeast: true,
  files: true,
  directory: true,
};

/** Validates options and applies defaults. Throws `options/unknown` and `options/value`. */
export function readOptions(options: ReductionOptions): ReductionSettings {
  refuseUnknown(options, Object.keys(names), "options");
  const { arguments: given = {}, results = false, clearAtLeast = 0, files = stateFiles() } = options;
  const { directory = "/large_tool_results" } = options;
  const sizes = readSizes(options, {
    trigger: [{ fraction: 0.85 }, { messages: 20 }],
    keep: [{ fraction: 0.1 }, { messages: 20 }],
  });
  demand(isCount(clearAtLeast), "clearAtLeast", clearAtLeast, ["a whole number of tokens"]);
  demandFiles(files, "files");
  return {
    ...sizes,
    arguments: given === false ? undefined : readArguments(given),
    results: results === false ? undefined : readResults(results),
    clearAtLeast,
    files,
    directory: directoryOf(directory, "directory"),
  };
}

/** The least length that can be shortened: notes have up to this many characters. */
const shortest = 500;

function readArguments(options: ReducedArguments): ReductionSettings["arguments"] {
  refuseUnknown(options, ["tools", "over", "keepFirst"], "arguments");
  const { tools = ["write_file", "edit_file"], over = 2_000, keepFirst = 20 } = options;
  demand(isNames(tools), "arguments.tools", tools, ["a list of tool names"]);
  demand(isCount(keepFirst), "arguments.keepFirst", keepFirst, ["a whole number of characters"]);
  const least = keepFirst + shortest;
  demand(isCount(over) && over >= least, "arguments.over", over, [`a whole number of at least ${least} characters`]);
  return { tools: new Set(tools), over, keepFirst };
}

function readResults(options: ReducedResults): ReductionSettings["results"] {
  refuseUnknown(options, ["over", "exclude"], "results");
  const { over = 2_000, exclude = [] } = options;
  demand(isCount(over) && over >= shortest, "results.over", over, [
    `a whole number of at least ${shortest} characters`,
  ]);
  demand(isNames(exclude), "results.exclude", exclude, ["a list of tool names"]);
  return { over, exclude: new Set(exclude) };
}

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;
const isNames = (value: unknown): boolean =>
  Array.isArray(value) && value.every((each) => typeof each === "string" && each !== "");
