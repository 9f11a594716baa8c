export { createAgent } from "./agent.ts";
export { inexactNumbers } from "./arguments-text.ts";
export type { InexactNumber } from "./arguments-text.ts";
export type { Agent, DeleteOptions, FoundThread } from "./agent.ts";
export { agentOptions } from "./agent-core.ts";
export type { ChildEnd } from "./children/child-thread.ts";
export type { AgentOptions } from "./agent-options.ts";
export { allowing, argumentsDigest } from "./approvals/allowances.ts";
export type { Always } from "./approvals/allowances.ts";
export type { CallDisplay, RenderContext, Rendered, ToolAnnotations } from "./approvals/call-display.ts";
export type { Decision, Decisions } from "./approvals/decisions.ts";
export type { ApprovalRule, GatedCall } from "./approvals/rules.ts";
export type {
  AgentEvent,
  EventData,
  EventType,
  PendingCall,
  RunStatus,
  ToolCallEnd,
  Allowance,
  CallView,
  ShownDecision,
  ShownRule,
} from "./events.ts";
export { settledStates } from "./ledger/call.ts";
export type {
  CallState,
  DecisionType,
  LedgerCall,
  SettledState,
  AllowanceMatch,
  AllowanceScope,
  CallAllowance,
} from "./ledger/call.ts";
export type { Entry } from "./ledger/entry.ts";
export { emptyLedger } from "./ledger/ledger.ts";
export type { Ledger, LedgerAction, LedgerEvent, Usage } from "./ledger/ledger.ts";
export { storedNoticesKey, project } from "./ledger/project.ts";
export { step } from "./ledger/step.ts";
export type { Logger } from "./logger.ts";
export type { EntryRef } from "./journal/entry-ref.ts";
export type { CompletionOptions, CompletionRequest } from "./step/complete.ts";
export { defineMiddleware } from "./middleware/middleware.ts";
export type {
  AgentHost,
  HookContext,
  Middleware,
  AnswerContext,
  AskAgain,
  AskModel,
  EndContext,
  EndRun,
  Hooked,
  MiddlewareState,
  OwnState,
  RuledAgent,
  RunOne,
  StateHandle,
} from "./middleware/middleware.ts";
export { mcpTools } from "./mcp/mcp-tools.ts";
export type { McpTools } from "./mcp/mcp-tools.ts";
export type { McpClient } from "./mcp/mcp-client.ts";
export type { McpOptions } from "./mcp/mcp-options.ts";
export { file, image, isMedia } from "./result/media.ts";
export type { MediaData, ToolMedia } from "./result/media.ts";
export { ranInstead } from "./step/tool-context.ts";
export { hasProcessEnded, processName } from "./thread/process-lease.ts";
export { noticesIn, wordedMessages, wording } from "./run/notice-texts.ts";
export type { Wording } from "./run/notice-texts.ts";
export { isOfThread } from "./step/guard-request.ts";
export type { Run, RunEnd } from "./run/run.ts";
export { usageOf } from "./step/check-model-turn.ts";
export { narrowMode, runModes } from "./run/run-mode.ts";
export type { RunMode } from "./run/run-mode.ts";
export type { FinalAnswerOf, ToolInput } from "./schema/input-schema.ts";
export type { Limits } from "./run/limits.ts";
export type { InputPolicy } from "./run/setup.ts";
export type { ToolSource } from "./toolbox.ts";
export { toolError, toolResult } from "./tool-result.ts";
export { tool } from "./tool.ts";
export type { AnyTool, Tool, ToolApproval, ToolContext, ToolOptions, ToolState, Retries } from "./tool.ts";
export type { GivenFiles, ThreadFile, ThreadFiles } from "./thread-files.ts";
export type {
  Beginning,
  EntriesOptions,
  ExchangeOptions,
  ForkOptions,
  HistoryTarget,
  ImportOptions,
  Thread,
} from "./thread.ts";
export type { ThreadTrace, TraceMark, TraceSpan, TraceTotals } from "./trace/trace.ts";
export type { EntryPart, EntryView, ThreadEntries } from "./views/entry-view.ts";
export type { RevokeOptions } from "./thread/commands/change.ts";
export type { Description } from "./thread/commands/request.ts";
export type { DecideOptions } from "./thread/commands/decide.ts";
export type { RegenerateOptions } from "./thread/commands/regenerate.ts";
export type { Input, SendOptions } from "./thread/commands/send.ts";
export type { StopOptions } from "./thread/commands/stop.ts";
export type { EventsOptions } from "./journal/read-events.ts";
export type { HistoryMessages, HistoryOf } from "#codecs";
export type { PortableThread } from "./transfer/portable-thread.ts";
export type { Imported } from "./transfer/transfer.ts";
export type { ThreadExchange } from "./views/thread-exchange.ts";
export type { ThreadRepair } from "./views/thread-repairs.ts";
