import { existsSync } from "node:fs";
import { join } from "node:path";

import type { AgentConfig } from "#config";
import type { Agent, AgentOptions } from "#engine";
import { compositeFiles, diskFiles, stateFiles } from "#files";
import type { PermissionRule } from "#files";
import { createDeepAgent } from "#middleware";

/** The agent of `--deep` without a config. `createDeepAgent` gives it instructions and tools. */
export const deepAgent: AgentConfig = { name: "deep" };

export interface DeepSettings {
  /** The directory of `--files`. Without one, files are in the thread. */
  readonly files: string | undefined;
  /** True without a config. A configured agent asks by its own rules. */
  readonly isPretend: boolean;
}

/** Makes the agent of `--deep`. Its changes to files, and those of its sub-agents, wait for a decision as with `--files`. */
export function createDeep(options: AgentOptions, { files: directory, isPretend }: DeepSettings): Agent {
  if (directory === undefined) return createDeepAgent({ ...options, permissions: isPretend ? [askBeforeWriting] : [] });
  const own = new Set(["filesystem", "memory", "skills"]); // they are about the files of this directory
  return createDeepAgent({
    ...options,
    middleware: (options.middleware ?? []).filter(({ name }) => !own.has(name)),
    files: compositeFiles(
      diskFiles(directory),
      Object.fromEntries(threadFolders.map((folder) => [folder, stateFiles()])),
    ),
    permissions: [
      { operations: ["read"], paths: withContent("/.undangle/skills"), mode: "allow" },
      { operations: ["read", "write"], paths: withContent("/.undangle"), mode: "deny" },
      { operations: ["write"], paths: threadFolders.flatMap(withContent), mode: "allow" },
      askBeforeWriting,
    ],
    memory: ["/AGENTS.md"],
    skills: skillFolders.filter((folder) => existsSync(join(directory, folder))),
  });
}

const askBeforeWriting: PermissionRule = { operations: ["write"], paths: ["/**"], mode: "ask" };

/** Long results and summarized messages are stored here: in the thread, because nothing is written to disk unasked. */
const threadFolders = ["/large_tool_results", "/conversation_history"];

const skillFolders = ["/skills", "/.undangle/skills"];

const withContent = (folder: string): readonly string[] => [folder, `${folder}/**`];
