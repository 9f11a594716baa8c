import type { SystemText } from "#codecs";
import { UndangleError } from "#core";
import type { Language } from "#core";
import type { ToolDescription } from "#model";

import type { Tool } from "../tool.ts";
import type { ToolTable } from "../toolbox.ts";

/**
 * What the calls of a run may do. `ask`: the approval rules apply. `accept-edits`: tools that edit need no decision.
 * `plan` and `read-only`: only tools that read are offered, in this run or in the whole thread.
 */
export type RunMode = (typeof runModes)[number];

/** From the narrowest to the widest. */
export const runModes = ["read-only", "plan", "ask", "accept-edits"] as const;

/** The mode of a child: its own, or that of its parent if its own would permit more. */
export const narrowMode = (parent: RunMode, child: RunMode = parent): RunMode =>
  runModes.indexOf(child) < runModes.indexOf(parent) ? child : parent;

/** Throws if a message has another mode than the only possible one. */
export function refuseOther(mode: RunMode | undefined, only: RunMode): void {
  if (mode !== undefined && mode !== only)
    throw new UndangleError("options/value", { option: "mode", value: mode, allowed: [only] });
}

/** What limits the mode that a message or `regenerate()` takes from an earlier run. */
export interface ModeLimit {
  /** The mode of the agent, which needs no permission. */
  readonly own: RunMode;
  /** The widest mode that the caller may give. */
  readonly maxMode: RunMode | undefined;
}

/** True if a mode permits more than the agent and more than the caller may give. */
export const isOverLimit = (mode: RunMode, { own, maxMode = mode }: ModeLimit): boolean =>
  narrowMode(mode, maxMode) !== mode && narrowMode(mode, own) !== mode;

/** Throws if a message would start or join a run with a wider mode than its sender may give. */
export function refuseOverLimit(mode: RunMode, limit: ModeLimit): void {
  if (isOverLimit(mode, limit))
    throw new UndangleError("options/value", { option: "maxMode", value: limit.maxMode, allowed: [mode] });
}

/** True for a mode that offers every tool. */
const isWide = (mode: RunMode): mode is "ask" | "accept-edits" => mode === "ask" || mode === "accept-edits";

type Annotated = Pick<Tool, "annotations">;

/** Whether a run offers and starts this tool. A tool that also edits or destroys does not only read. */
export function isOffered(mode: RunMode, { annotations: { readOnly, edits, destructive } = {} }: Annotated): boolean {
  if (isWide(mode)) return true;
  return readOnly === true && edits !== true && destructive !== true;
}

/** The tools that a run does not offer. */
export const hiddenByMode = (mode: RunMode, tools: ToolTable): readonly string[] =>
  isWide(mode) ? [] : [...tools.values()].filter((tool) => !isOffered(mode, tool)).map(({ name }) => name);

/** The descriptions of the tools that a run offers. The same list for the same tools, because models convert it once. */
export function offeredTools(
  mode: RunMode,
  { tools, descriptions }: { readonly tools: ToolTable; readonly descriptions: readonly ToolDescription[] },
): readonly ToolDescription[] {
  if (isWide(mode)) return descriptions;
  const known = reading.get(descriptions);
  if (known !== undefined) return known;
  const hidden = new Set(hiddenByMode(mode, tools));
  const offered = descriptions.filter(({ name }) => !hidden.has(name));
  reading.set(descriptions, offered);
  return offered;
}

/** The descriptions of the tools that only read, by the list of all. */
const reading = new WeakMap<readonly ToolDescription[], readonly ToolDescription[]>();

/** Whether the calls of a tool run without a decision, unless a rule requires one in every mode. */
export const acceptsCalls = (mode: RunMode, { annotations: { edits, destructive } = {} }: Annotated): boolean =>
  mode === "accept-edits" && edits === true && destructive !== true;

/** The instructions of the agent and what the model must know about the mode. The same texts for every step of a run. */
export function systemOf(
  { system, language }: { readonly system: readonly SystemText[]; readonly language: Language },
  mode: RunMode,
): readonly SystemText[] {
  if (isWide(mode)) return system;
  return [...system, { type: "text", path: "", text: modeTexts[language][mode] }];
}

const modeTexts: Readonly<Record<Language, Readonly<Record<"plan" | "read-only", string>>>> = {
  en: {
    plan: "You are in plan mode. Only tools that read are available, and nothing may be changed. Read what you need. Then reply with a plan: the steps that you would take, in order. A person reads the plan before anything is changed.",
    "read-only": "This conversation is read-only. Only tools that read are available, and nothing may be changed.",
  },
  zh: {
    plan: "当前为计划模式。只能使用读取类工具，不得更改任何内容。请先读取所需的信息，然后给出计划：按顺序列出你将采取的步骤。在更改任何内容之前，会有人阅读该计划。",
    "read-only": "此对话为只读。只能使用读取类工具，不得更改任何内容。",
  },
};
