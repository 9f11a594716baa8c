import type { AssembledTurn } from "#core";
import type { ModelRequest, ModelStream } from "#model";

import { callsHeardIn } from "../middleware/guard-stream.ts";

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
  readonly hiddenFrom: (turn: AssembledTurn, stream: ModelStream | undefined) => readonly string[];
}

interface Asked {
  readonly stream: ModelStream;
  readonly hidden: ReadonlySet<string>;
}

const none: ReadonlySet<string> = new Set();

export function createOfferedTools(): OfferedTools {
  let own: ModelRequest["tools"] = [];
  let seen: ReadonlySet<string> = none; // hidden from any request of the step
  let asked: readonly Asked[] = [];
  const hiddenIn = ({ tools }: ModelRequest): ReadonlySet<string> => {
    if (tools === own) return none;
    const names = new Set(tools.map(({ name }) => name));
    return new Set(own.map(({ name }) => name).filter((name) => !names.has(name)));
  };
  return {
    begin({ tools }) {
      own = tools;
      seen = none;
      asked = [];
    },
    see(request) {
      seen = new Set([...seen, ...hiddenIn(request)]);
    },
    ask(request, stream) {
      asked = [...asked, { stream, hidden: hiddenIn(request) }];
    },
    hiddenFrom(turn, stream) {
      if (asked.length === 0) return [...seen]; // a hook has created the response itself
      return [...new Set(belonging(asked, turn, stream).flatMap(({ hidden }) => [...hidden]))];
    },
  };
}

/** The requests that a response may belong to. If a hook combined responses, those whose responses contained its calls. */
function belonging(asked: readonly Asked[], turn: AssembledTurn, stream: ModelStream | undefined): readonly Asked[] {
  const own = asked.filter((each) => each.stream === stream);
  if (own.length > 0 || asked.length === 1) return own.length > 0 ? own : asked;
  const hasCallOf = (each: Asked): boolean =>
    callsHeardIn(each.stream).some((heard) =>
      turn.calls.some((call) => call === heard || (call.id === heard.id && call.name === heard.name)),
    );
  const related = asked.filter(hasCallOf);
  return related.length > 0 ? related : asked;
}
