import type { Identity } from "../access/identity.ts";
import type { Remembering } from "../responses/idempotency.ts";
import type { ThreadNote } from "../projects/project-threads.ts";
import type { RespondingRun } from "../projects/runs/recorded-run.ts";
import type { RunSettings } from "../projects/runs/run-settings.ts";
import type { Service } from "../open-service.ts";
import type { SentMessages } from "./sent-messages.ts";

/** A turn: its thread and its run. */
export interface Turn {
  readonly threadId: string;
  readonly note: ThreadNote;
  readonly run: RespondingRun;
  /** The rule of each edit that the history of the request needed. */
  readonly edits: readonly string[];
  /** The request that started the run, and the time in milliseconds. A repeated response has the earlier request. */
  readonly request: string;
  readonly at: number;
}

/** A request with everything that its turn needs. */
export interface Asking {
  readonly service: Service;
  readonly identity: Identity;
  readonly requestId: string;
  /** True if the client marks the request as a retry. */
  readonly isRetry: boolean;
  readonly sent: SentMessages;
  /** The settings of the request for its thread. */
  readonly note: Partial<ThreadNote>;
  readonly settings: RunSettings;
  /** Set for a request with an Idempotency-Key. */
  readonly remembering: Remembering | undefined;
}
