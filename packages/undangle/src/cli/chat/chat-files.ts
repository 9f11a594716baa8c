import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";

import type { AgentConfig } from "#config";
import type { Language } from "#core";
import type { Middleware } from "#engine";
import { diskFiles } from "#files";
import { filesystem } from "#middleware";

import { isSystemError } from "../input/system-fault.ts";

/** Why the directory of `--files` cannot be used. */
export type DirectoryFault = "missing" | "not-directory" | "denied";

/** Checks the directory before a thread exists. Undefined if its files can be listed. */
export async function directoryFault(directory: string): Promise<DirectoryFault | undefined> {
  try {
    if (!(await stat(directory)).isDirectory()) return "not-directory";
    await access(directory, constants.R_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return error.code === "ENOENT" || error.code === "ENOTDIR" ? "missing" : "denied";
  }
}

/**
 * The files of `--files`. Every change waits for a decision, so long results and messages are not stored in the
 * directory either. The chat's own threads and history are not shown to the model.
 */
export const fileAccess = (directory: string): Middleware =>
  filesystem({
    backend: diskFiles(directory),
    permissions: [
      { operations: ["read", "write"], paths: ["/.undangle", "/.undangle/**"], mode: "deny" },
      { operations: ["write"], paths: ["/**"], mode: "ask" },
    ],
    evict: false,
    evictMessages: false,
  });

/** The agent of `--files` without a config. It has no other tools. */
export const filesAgent = (language: Language): AgentConfig => ({
  name: "files",
  instructions: instructions[language],
});

const instructions: Readonly<Record<Language, string>> = {
  en: "You work with the files of the user. Read a file before you change it. Keep replies short.",
  zh: "你负责处理用户的文件。修改文件之前先读取它。请简短回答。",
};
