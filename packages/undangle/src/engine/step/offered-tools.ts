import type { AssembledCall, AssembledTurn } from "#core";
import type { ModelRequest, ModelStream } from "#model";

import type { CallsReadFrom } from "../middleware/guard-stream.ts";

/**
 * Which tools hooks hid from the requests of one step. A step may request several responses, and hooks may replace a
 * response, so each request is kept with its stream.
 */
export interface OfferedTools {
  /** Starts a step with the engine's own request. */
  readonly begin: (own: ModelRequest) => void;
  /** Records a request that a hook passes to the next one. */
  readonly see: (request: ModelRequest) => void;
  /** Records a request that reaches the model. */
  readonly ask: (request: ModelRequest, stream: ModelStream) => void;
  /** The tools that were hidden from the request of a response. */
  readonly hiddenFrom: (
    turn: AssembledTurn,
    stream: ModelStream | undefined,
    callsReadFrom: CallsReadFrom,
  ) => readonly string[];
}

/** A request that reached the model, and its response. */
interface SentRequest {
  readonly stream: ModelStream;
  readonly hidden: ReadonlySet<string>;
}

const none: ReadonlySet<string> = new Set();

export function createOfferedTools(): OfferedTools {
  let own: ModelRequest["tools"] = [];
  let seen: ReadonlySet<string> = none; // hidden from any request of the step
  let sent: readonly SentRequest[] = [];
  const hiddenIn = ({ tools }: ModelRequest): ReadonlySet<string> => {
    if (tools === own) return none;
    const names = new Set(tools.map(({ name }) => name));
    return new Set(own.map(({ name }) => name).filter((name) => !names.has(name)));
  };
  return {
    begin({ tools }) {
      own = tools;
      seen = none;
      sent = [];
    },
    see(request) {
      seen = new Set([...seen, ...hiddenIn(request)]);
    },
    ask(request, stream) {
      sent = [...sent, { stream, hidden: hiddenIn(request) }];
    },
    hiddenFrom(turn, stream, callsReadFrom) {
      if (sent.length === 0) return [...seen]; // a hook has created the response itself
      const own = sent.filter((each) => each.stream === stream);
      const related = own.length > 0 ? own : sent.filter((each) => hasCallOf(turn, callsReadFrom(each.stream)));
      return [...new Set((related.length > 0 ? related : sent).flatMap(({ hidden }) => [...hidden]))];
    },
  };
}

/** True if a response contains one of these calls. A hook may combine several responses. */
const hasCallOf = ({ calls }: AssembledTurn, read: readonly AssembledCall[]): boolean =>
  read.some((one) => calls.some((call) => call === one || (call.id === one.id && call.name === one.name)));
