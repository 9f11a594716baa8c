export { createClient } from "./client.ts";
export type {
  Client,
  ClientOptions,
  PostOptions,
  QueuedThread,
  RemoteCheck,
  RemoteContents,
  RemoteEnd,
  RemoteFile,
  RemotePersona,
  RemoteStart,
  RemoteThread,
  SendOptions,
  ThreadsQuery,
} from "./client.ts";
export type { FollowOptions, QueueEvent } from "./follow-events.ts";
export type {
  EntryPage,
  ProjectAllowance,
  ReceivedExchange,
  RemoteEntry,
  RemoteExchange,
  RemoteKey,
  RemotePart,
  RemoteRepair,
  RemoteSession,
  Trace,
  TraceCost,
  TraceMark,
  TraceSpan,
} from "./inspection.ts";
export type { AgentEvent, Allowance, CallView, Decisions, PendingCall, ShownDecision, ShownRule, Usage } from "#engine";
export { ServerRefusal } from "./server-refusal.ts";
export type { RefusedCall } from "./server-refusal.ts";
