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
  RemoteThread,
  ThreadsQuery,
} from "./client.ts";
export { ServerRefusal } from "./server-refusal.ts";
