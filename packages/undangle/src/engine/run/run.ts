import type { AgentEvent, PendingCall, RunStatus } from "../events.ts";
import type { Usage } from "../ledger/ledger.ts";

/** What a thread does until it rests or waits for a person. It goes on whether or not somebody listens. */
export interface Run extends AsyncIterable<AgentEvent> {
  readonly id: string;
  /** How it ended. It does not reject for a run that failed. */
  readonly result: Promise<RunEnd>;
  /** Ends it: calls that are finished keep their results, the others are settled. */
  stop(): Promise<RunEnd>;
}

export interface RunEnd {
  readonly status: RunStatus;
  /** The last thing that the model said. */
  readonly text: string;
  /** The answer in the form that was asked for. */
  readonly output?: unknown;
  /** The calls that wait for a decision. */
  readonly pending: readonly PendingCall[];
  /** Of the whole thread. */
  readonly usage: Usage;
  readonly error?: Error;
}

/** A run as the engine sees it. */
export interface LiveRun extends Run {
  readonly push: (event: AgentEvent) => void;
  readonly settle: (end: RunEnd) => void;
  /** From now on this run is another one: its events and its end are those of that. */
  readonly join: (other: LiveRun) => void;
  readonly isOver: () => boolean;
  /** True for this run, and for the one that it has joined. */
  readonly is: (other: LiveRun) => boolean;
  readonly log: () => readonly AgentEvent[];
  readonly listen: (listener: () => void) => () => void;
}

export function createRun(id: string, stop: (run: LiveRun) => Promise<void>): LiveRun {
  const own: AgentEvent[] = [];
  const listeners = new Set<() => void>();
  let joined: { readonly run: LiveRun; readonly from: number } | undefined;
  let isOver = false;
  let resolve: (end: RunEnd) => void = () => undefined;
  const result = new Promise<RunEnd>((settled) => {
    resolve = settled;
  });
  const wake = (): void => {
    const now = Array.from(listeners); // those who listen again wait for the next
    for (const listener of now) listener();
  };
  const eventAt = (place: number): AgentEvent | undefined =>
    place < own.length ? own[place] : joined?.run.log()[joined.from + place - own.length];
  const hasEnded = (): boolean => isOver && (joined === undefined || joined.run.isOver());

  async function* read(): AsyncGenerator<AgentEvent, void, undefined> {
    for (let place = 0; ; place++) {
      for (;;) {
        const event = eventAt(place);
        if (event !== undefined) {
          yield event;
          break;
        }
        if (hasEnded()) return;
        await new Promise<void>((heard) => {
          const listener = (): void => {
            listeners.delete(listener);
            heard();
          };
          listeners.add(listener);
        });
      }
    }
  }

  const run: LiveRun = {
    id,
    result,
    async stop() {
      await stop(run);
      return result;
    },
    [Symbol.asyncIterator]: read,
    push(event) {
      own.push(event);
      if (listeners.size > 0) wake();
    },
    settle(end) {
      isOver = true;
      resolve(end);
      wake();
    },
    join(other) {
      joined = { run: other, from: other.log().length };
      other.listen(wake);
      void other.result.then((end) => run.settle(end));
    },
    isOver: () => isOver,
    is: (other) => other === run || other === joined?.run,
    log: () => own,
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  return run;
}
