export { appendSystemText } from "./append-system-text.ts";
export type { Appended } from "./append-system-text.ts";
export { loopGuard } from "./loop-guard/loop-guard.ts";
export type { LoopGuardOptions } from "./loop-guard/loop-guard.ts";
export { patchToolCalls } from "./patch-tool-calls.ts";
export type { PatchOptions } from "./patch-tool-calls.ts";
export { subagents } from "./subagents/subagents.ts";
export type {
  ReadyAgent,
  SpecifiedAgent,
  Subagent,
  SubagentsOptions,
  TaskFunction,
} from "./subagents/subagent-specs.ts";
export { promptCaching } from "./prompt-caching.ts";
export type { PromptCachingOptions } from "./prompt-caching.ts";
export type { ContextSize, SizeOptions } from "./context-size/size.ts";
export { reduction } from "./reduction/reduction.ts";
export type { ReducedArguments, ReducedResults, ReductionOptions } from "./reduction/reduction-options.ts";
export { summarization } from "./summarization/summarization.ts";
export type { SummarizationOptions } from "./summarization/summarization-options.ts";
export { telemetry } from "./telemetry/telemetry.ts";
export type { TelemetryOptions } from "./telemetry/telemetry.ts";
export type { OpenTelemetry } from "./telemetry/open-telemetry.ts";
export { createDeepAgent } from "./create-deep-agent.ts";
export type { DeepAgentOptions, DeepMiddlewareName } from "./create-deep-agent.ts";
export { filesystem } from "./filesystem/filesystem.ts";
export type { EvictMessagesOptions, EvictOptions, FilesystemOptions } from "./filesystem/filesystem-options.ts";
export type { FileToolName } from "./filesystem/tool-texts.ts";
export { todos } from "./todos.ts";
export type { Todo, TodosState, TodoStatus } from "./todos.ts";
export { memory } from "./memory/memory.ts";
export type { MemoryOptions } from "./memory/memory.ts";
export { skills } from "./skills/skills.ts";
export type { SkillsOptions, SkillSource } from "./skills/skills-options.ts";
