import { stripVTControlCharacters } from "node:util";

import type { AnyTool } from "#engine";

import { fileTool } from "./file-tool.ts";
import type { FileTooling, FileToolParts } from "./file-tool.ts";

/** The most bytes of output that are kept. */
const maxOutput = 10 * 1024 * 1024;

/** `execute`. A command that fails is not an error of the call: its exit code is part of the result. */
export function executeTool(tooling: FileTooling): AnyTool {
  const run: FileToolParts<"execute">["run"] = async ({ command, timeout = 0 }, { backend, texts }, { signal }) => {
    if (backend.execute === undefined) throw new Error(texts.unsupported(tooling.names.execute));
    const { maxTimeout } = tooling;
    if (timeout * 1000 > maxTimeout) throw new Error(texts.timeoutTooLong(timeout, maxTimeout / 1000));
    const options = { signal, maxOutput, ...(timeout > 0 && { timeout: timeout * 1000 }) };
    const { output, omitted, exitCode, killed } = await backend.execute(command, options);
    const shown = safeText(new TextDecoder().decode(output));
    const end = [...(omitted > 0 ? [texts.omitted(omitted)] : []), texts.exit(exitCode, killed)].join("\n");
    return shown === "" ? end : `${shown}${shown.endsWith("\n") ? "" : "\n"}${end}`;
  };
  return fileTool("execute", tooling, { run, render: ({ command }) => ({ type: "command", command }) });
}

/** Output without the sequences that control a terminal. */
const safeText = (text: string): string =>
  // oxlint-disable-next-line no-control-regex -- they are what is removed
  stripVTControlCharacters(text).replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/gu, "");
