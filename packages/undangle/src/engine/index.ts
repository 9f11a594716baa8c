export { createAgent } from "./agent.ts";
export { inexactNumbers } from "./arguments-text.ts";
export type { InexactNumber } from "./arguments-text.ts";
export type { Agent, DeleteOptions, FoundThread } from "./agent.ts";
export type { AgentOptions } from "./agent-options.ts";
export type { Always } from "./approvals/always.ts";
export type { CallDisplay, RenderContext, Rendered, ToolAnnotations } from "./approvals/call-display.ts";
export type { Decision, Decisions } from "./approvals/decisions.ts";
export type { ApprovalRule, GatedCall } from "./approvals/rules.ts";
export type { AgentEvent, EventData, EventType, PendingCall, RunStatus, ToolCallEnd } from "./events.ts";
export type { Input } from "./input.ts";
export { settledStates } from "./ledger/call.ts";
export type { CallState, DecisionType, LedgerCall, SettledState } from "./ledger/call.ts";
export type { Entry } from "./ledger/entry.ts";
export { emptyLedger } from "./ledger/ledger.ts";
export type { Ledger, LedgerAction, LedgerEvent, Usage } from "./ledger/ledger.ts";
export { keptWordsName } from "./ledger/kept-words.ts";
export { project } from "./ledger/project.ts";
export { step } from "./ledger/step.ts";
export type { Logger } from "./logger.ts";
export { defineMiddleware } from "./middleware/middleware.ts";
export type { HookContext, Middleware } from "./middleware/middleware.ts";
export { mcpTools } from "./mcp/mcp-tools.ts";
export type { McpTools } from "./mcp/mcp-tools.ts";
export type { McpClient } from "./mcp/mcp-client.ts";
export type { McpOptions } from "./mcp/mcp-options.ts";
export { file, image, isMedia } from "./result/media.ts";
export type { MediaData, ToolMedia } from "./result/media.ts";
export { ranInstead } from "./step/guard-tool.ts";
export { hasProcessEnded, processName } from "./thread/process-name.ts";
export { noticesIn } from "./run/notice-texts.ts";
export { wordedMessages, wording } from "./step/worded-messages.ts";
export type { Wording } from "./step/worded-messages.ts";
export type { Run, RunEnd } from "./run/run.ts";
export { usageOf } from "./run/usage.ts";
export type { InputPolicy, Limits } from "./run/setup.ts";
export { toolError, toolResult } from "./tool-result.ts";
export type { ToolSource } from "./tool-source.ts";
export { tool } from "./tool.ts";
export type { AnyTool, Tool, ToolApproval, ToolContext, ToolOptions, ToolState } from "./tool.ts";
export type { Beginning, ForkOptions, HistoryTarget, ImportOptions, Thread } from "./thread.ts";
export type { Allowance, CallView, ShownDecision } from "./events.ts";
export type { AllowanceMatch, AllowanceScope, CallAllowance } from "./ledger/allowance.ts";
export type {
  AnswerContext,
  AskAgain,
  AskModel,
  EndContext,
  EndRun,
  Hooked,
  MiddlewareState,
  OwnState,
  RunOne,
  StateHandle,
} from "./middleware/middleware.ts";
export type {
  DecideOptions,
  Description,
  RegenerateOptions,
  RevokeOptions,
  SendOptions,
  StopOptions,
} from "./thread/thread-actor.ts";
export type { EventsOptions } from "./journal/read-events.ts";
export type { HistoryMessages, HistoryOf } from "#codecs";
export type { PortableThread } from "./transfer/portable-thread.ts";
export type { Imported } from "./transfer/transfer.ts";
export type { Retries } from "./tool.ts";
