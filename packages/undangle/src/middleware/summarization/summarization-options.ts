import { isRecord } from "#core";
import { stateFiles } from "#files";
import type { FileBackendSource } from "#files";
import type { Model } from "#model";

import { readSizes, refuseSmallTriggers } from "../context-size/size.ts";
import type { SizeOptions, SizeSettings } from "../context-size/size.ts";
import { directoryOf } from "../context-size/thread-file.ts";
import { demand, demandFiles, refuseUnknown } from "../option-checks.ts";

/** When and how older messages are replaced by a summary. */
export interface SummarizationOptions extends SizeOptions {
  /** The model that writes summaries. That of the agent by default. */
  readonly model?: Model | undefined;
  /** Other instructions for that model. The conversation is always a message of its own. */
  readonly prompt?: string | undefined;
  /** Where the full text of older messages is stored. By default in the thread (`stateFiles`). */
  readonly files?: FileBackendSource | undefined;
  /** `/conversation_history` by default. */
  readonly directory?: string | undefined;
  /** True to offer `compact_conversation`, with which the model asks for a summary. */
  readonly tool?: boolean | undefined;
  /** The clock, for the headings in the file. */
  readonly now?: (() => number) | undefined;
}

/** The options with all defaults applied. */
export interface SummarySettings extends SizeSettings {
  readonly model: Model | undefined;
  readonly prompt: string | undefined;
  readonly files: FileBackendSource;
  readonly directory: string;
  readonly tool: boolean;
  readonly now: () => number;
}

const names: Readonly<Record<keyof SummarizationOptions, true>> = {
  trigger: true,
  keep: true,
  contextWindow: true,
  countTokens: true,
  model: true,
  prompt: true,
  files: true,
  directory: true,
  tool: true,
  now: true,
};

/** Validates options and applies defaults. Throws `options/unknown` and `options/value`. */
export function readOptions(options: SummarizationOptions): SummarySettings {
  refuseUnknown(options, Object.keys(names), "options");
  const {
    model,
    prompt,
    files = stateFiles(),
    directory = "/conversation_history",
    tool = false,
    now = Date.now,
  } = options;
  const sizes = readSizes(options, {
    trigger: [{ fraction: 0.85 }, { tokens: 170_000 }],
    keep: [{ fraction: 0.1 }, { messages: 6 }],
  });
  refuseSmallTriggers(sizes);
  const isModel = model === undefined || (isRecord(model) && typeof model["stream"] === "function");
  demand(isModel, "model", model, ["a model"]);
  const isPrompt = prompt === undefined || (typeof prompt === "string" && prompt.trim() !== "");
  demand(isPrompt, "prompt", prompt, ["a non-empty string"]);
  demandFiles(files, "files");
  demand(typeof tool === "boolean", "tool", tool, ["true", "false"]);
  demand(typeof now === "function", "now", now, ["a function that returns milliseconds"]);
  return { ...sizes, model, prompt, files, directory: directoryOf(directory, "directory"), tool, now };
}
