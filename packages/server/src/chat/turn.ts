import type { Identity } from "../access/identity.ts";
import type { Remembering } from "../answers/idempotency.ts";
import type { ThreadNote } from "../desk/desk.ts";
import type { AnsweringRun } from "../desk/recorded-run.ts";
import type { RunSettings } from "../desk/run-settings.ts";
import type { Service } from "../open-service.ts";
import type { SentMessages } from "./sent-messages.ts";

/** A turn: the thread that it is in, and the run that answers. */
export interface Turn {
  readonly threadId: string;
  readonly note: ThreadNote;
  readonly run: AnsweringRun;
  /** The rules by which the history of the request was mended, one for each edit. */
  readonly edits: readonly string[];
  /** The request that has started the run, and when, in milliseconds: an earlier one where its response is given again. */
  readonly request: string;
  readonly at: number;
}

/** A request, with everything that its turn needs. */
export interface Asking {
  readonly service: Service;
  readonly identity: Identity;
  readonly requestId: string;
  /** True when the client says that it sends the request again. */
  readonly isRetry: boolean;
  readonly sent: SentMessages;
  /** What the request says of its thread. */
  readonly note: Partial<ThreadNote>;
  readonly settings: RunSettings;
  /** Set for a request with an Idempotency-Key. */
  readonly remembering: Remembering | undefined;
}
