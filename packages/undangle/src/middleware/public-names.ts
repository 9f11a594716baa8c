// The entry `undangle/agent`.
export { memoryStore } from "#store";
export type { Store, StoredThread, ThreadQuery, ThreadStatus } from "#store";
export type {
  Discarded,
  Model,
  ModelExchange,
  ModelPart,
  ModelRequest,
  ModelSampling,
  ModelStream,
  ModelToolChoice,
  ModelWarning,
  PromptCache,
  RequestTarget,
  ToolDescription,
  WrittenRequest,
} from "#model";
export {
  createAgent,
  defineMiddleware,
  file,
  hasProcessEnded,
  image,
  inexactNumbers,
  mcpTools,
  processName,
  tool,
} from "#engine";
export type {
  Agent,
  AgentHost,
  AgentEvent,
  AgentOptions,
  Allowance,
  AllowanceMatch,
  AllowanceScope,
  Always,
  AnswerContext,
  AnyTool,
  ApprovalRule,
  AskAgain,
  AskModel,
  Beginning,
  CallAllowance,
  CallDisplay,
  CallState,
  CallView,
  ChildEnd,
  CompletionOptions,
  CompletionRequest,
  DecideOptions,
  Decision,
  DecisionType,
  Decisions,
  DeleteOptions,
  Description,
  EndContext,
  EndRun,
  EntriesOptions,
  ExchangeOptions,
  EntryPart,
  EntryRef,
  EntryView,
  EventData,
  EventType,
  EventsOptions,
  ForkOptions,
  FoundThread,
  GatedCall,
  GivenFiles,
  HistoryMessages,
  HistoryOf,
  HistoryTarget,
  HookContext,
  Hooked,
  ImportOptions,
  Imported,
  InexactNumber,
  Input,
  InputPolicy,
  Limits,
  Logger,
  McpClient,
  McpOptions,
  McpTools,
  MediaData,
  Middleware,
  MiddlewareState,
  OwnState,
  PendingCall,
  PortableThread,
  RegenerateOptions,
  RenderContext,
  Rendered,
  Retries,
  RevokeOptions,
  RuledAgent,
  Run,
  RunEnd,
  RunMode,
  RunOne,
  RunStatus,
  SendOptions,
  SettledState,
  ShownDecision,
  ShownRule,
  StateHandle,
  StopOptions,
  Thread,
  ThreadEntries,
  ThreadExchange,
  ThreadFile,
  ThreadFiles,
  ThreadRepair,
  ThreadTrace,
  Tool,
  ToolAnnotations,
  ToolApproval,
  ToolCallEnd,
  ToolContext,
  ToolMedia,
  ToolOptions,
  ToolSource,
  ToolState,
  TraceMark,
  TraceSpan,
  TraceTotals,
  Usage,
} from "#engine";
export { appendSystemText } from "./append-system-text.ts";
export type { Appended } from "./append-system-text.ts";
export type { FileOperation, PermissionMode, PermissionRule } from "#files";
export { createDeepAgent } from "./create-deep-agent.ts";
export type { DeepAgentOptions, DeepMiddlewareName } from "./create-deep-agent.ts";
export { filesystem } from "./filesystem/filesystem.ts";
export type { EvictMessagesOptions, EvictOptions, FilesystemOptions } from "./filesystem/filesystem-options.ts";
export type { FileToolName } from "./filesystem/tool-texts.ts";
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
export { todos } from "./todos.ts";
export type { Todo, TodosState, TodoStatus } from "./todos.ts";
export { memory } from "./memory/memory.ts";
export type { MemoryOptions } from "./memory/memory.ts";
export { skills } from "./skills/skills.ts";
export type { SkillsOptions, SkillSource } from "./skills/skills-options.ts";
