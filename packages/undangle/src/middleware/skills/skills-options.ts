import { UndangleError } from "#core";
import { canonicalPath, stateFiles } from "#files";
import type { FileBackendSource } from "#files";

import { demand, demandFiles, isCount, isText, refuseUnknown } from "../option-checks.ts";
import type { SkillSourceSettings } from "./load-skills.ts";

/** Which skills a model can use. */
export interface SkillsOptions {
  /** Folders of skills, or the folder of one. The last skill of a name counts. */
  readonly sources: readonly (string | SkillSource)[];
  /**
   * The files, or a function that gives them for each run. They must have the paths of the files in `filesystem()`, whose
   * `read_file` reads skills. By default the files are in the thread (`stateFiles`).
   */
  readonly files?: FileBackendSource | undefined;
  /**
   * What `allowed-tools` of a skill means. `show`: the model sees it. `approve`: while a skill of a trusted source is in
   * use, these tools need no decision. `enforce`: while a skill is in use, the model can call no other tools.
   */
  readonly allowedTools?: "show" | "approve" | "enforce" | undefined;
  /** The most characters of the list of skills. 20,000 by default. */
  readonly limit?: number | undefined;
  /** The name of `read_file`, if `filesystem()` gives it another one. */
  readonly readTool?: string | undefined;
}

export interface SkillSource {
  readonly path: string;
  /** True if only people who may approve calls can change these files. Needed for `allowedTools: "approve"`. */
  readonly trusted?: boolean | undefined;
}

const optionNames: Readonly<Record<keyof SkillsOptions, true>> = {
  sources: true,
  files: true,
  allowedTools: true,
  limit: true,
  readTool: true,
};

/** The options with all defaults applied. */
export interface SkillsSettings {
  readonly sources: readonly SkillSourceSettings[];
  readonly files: FileBackendSource;
  readonly allowedTools: "show" | "approve" | "enforce";
  readonly limit: number;
  readonly readTool: string;
}

const modes = ["show", "approve", "enforce"];

/** Validates options and applies defaults. Throws `options/unknown` and `options/value`. */
export function readOptions(options: SkillsOptions): SkillsSettings {
  refuseUnknown(options, Object.keys(optionNames), "options");
  const { sources, files = stateFiles(), allowedTools = "show", limit = 20_000, readTool = "read_file" } = options;
  demand(Array.isArray(sources) && sources.length > 0, "sources", sources, ["a list of directories, such as /skills"]);
  demandFiles(files, "files");
  demand(modes.includes(allowedTools), "allowedTools", allowedTools, modes);
  demand(isCount(limit) && limit > 0, "limit", limit, ["a whole number of at least 1"]);
  demand(isText(readTool), "readTool", readTool, ["the name of a tool"]);
  const read = sources.map(readSource);
  const isUseful = allowedTools !== "approve" || read.some(({ isTrusted }) => isTrusted);
  demand(isUseful, "sources", sources, ['a source with trusted: true, because allowedTools is "approve"']);
  return { sources: read, files, allowedTools, limit, readTool };
}

function readSource(source: string | SkillSource, place: number): SkillSourceSettings {
  const option = `sources[${place}]`;
  const given = typeof source === "string" ? { path: source } : source;
  refuseUnknown(given, ["path", "trusted"], option);
  const { path, trusted = false } = given;
  demand(typeof trusted === "boolean", `${option}.trusted`, trusted, ["true", "false"]);
  const canonical = isText(path) ? canonicalPath(path).path : undefined;
  if (canonical !== undefined) return { path: canonical, isTrusted: trusted };
  throw new UndangleError("options/value", { option, value: source, allowed: ["a directory, or { path, trusted }"] });
}
