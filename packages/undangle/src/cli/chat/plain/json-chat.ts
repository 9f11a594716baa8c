import { setTimeout as pause } from "node:timers/promises";

import type { AgentEvent, Run } from "#engine";

import { readLines } from "../../input/read-lines.ts";
import type { Io } from "../../io.ts";
import type { Beginning } from "../chat.ts";
import { closePlainThread, decideAll, openPlainThread, say, stopRunning } from "./plain-thread.ts";
import type { PlainThread } from "./plain-thread.ts";
import { readCommand } from "./read-command.ts";
import type { LineCommand } from "./read-command.ts";
import { stopWatch } from "./stop-watch.ts";
import type { StopWatch } from "./stop-watch.ts";
import { printable } from "../../terminal/printable.ts";

/** Runs the chat for a program: every event of the thread is a JSON line on stdout, and lines of stdin are commands. */
export async function chatInJson(beginning: Beginning, io: Io): Promise<number> {
  const opened = await openPlainThread(beginning);
  const { thread, start } = opened;
  const listening = new AbortController();
  const events = createTeller(io);
  const stopped = stopWatch(io);
  let isBroken = true;
  try {
    const { agent, model } = { agent: opened.agent.name, model: opened.agent.model };
    await events.write({ type: "thread", data: { id: thread.id, agent, model, store: beginning.place.storeName } });
    const telling = events.tell(thread.events({ after: start, signal: listening.signal }));
    // If stdout closes, the writer fails, and with it the chat.
    const talking = talk({ opened, events, stopped }, beginning, io);
    talking.catch(() => undefined); // it may fail after the chat was stopped
    const code = await Promise.race([talking, telling.then(() => 0), stopped.code]);
    if (stopped.isStopped()) {
      await stopRunning(opened);
      await Promise.race([untilTold(opened, events), telling]); // until its outcome is printed
    }
    listening.abort();
    await telling;
    isBroken = false;
    return code;
  } finally {
    listening.abort();
    io.stdin.close();
    await closePlainThread(opened, isBroken);
  }
}

/** Writes lines, and counts the printed events. */
interface Teller {
  readonly write: (line: unknown) => Promise<void>;
  readonly tell: (events: AsyncIterable<AgentEvent>) => Promise<void>;
  readonly last: () => number;
  hasFailed: boolean;
}

function createTeller(io: Io): Teller {
  let last = 0;
  const write = (line: unknown): Promise<void> => io.stdout.write(`${JSON.stringify(line)}\n`);
  const teller: Teller = {
    write,
    async tell(events) {
      for await (const event of events) {
        await write(event);
        last = Number.parseInt(event.id, 10);
        teller.hasFailed ||= isFailure(event);
      }
    },
    last: () => last,
    hasFailed: false,
  };
  return teller;
}

interface Telling {
  readonly opened: PlainThread;
  readonly events: Teller;
  readonly stopped: StopWatch;
}

async function talk(
  { opened, events, stopped }: Telling,
  { place, manner, message }: Beginning,
  io: Io,
): Promise<number> {
  const { thread, start } = opened;
  const texts = manner.texts();
  const [which] = place.options.approve ?? [];
  let isWrong = false;
  let going: Promise<unknown> = opened.isGoingOn ? untilRest(thread.events({ after: start })) : Promise.resolve();

  /** Follows a run to its end with the decisions of the command line. Reports a run that did not start. */
  const follow = async (run: Run): Promise<void> => {
    for await (const event of run) {
      if (event.id === "0" && event.type === "run_end") {
        await events.write(event);
        events.hasFailed ||= isFailure(event);
      }
      break;
    }
    const { status } = await run.result;
    if (status === "waiting" && which !== undefined && (await thread.pending()).length > 0)
      await follow(decideAll(opened, which));
  };
  const perform = async (command: LineCommand, line: number): Promise<void> => {
    if (command.type === "message")
      going = going.then(() => (stopped.isStopped() ? undefined : say(opened, command.message, follow)));
    else if (command.type === "decide") going = Promise.all([going, follow(thread.decide(command.decisions))]);
    else if (command.type === "stop") await thread.stop();
    else if (command.type === "wrong") {
      isWrong = true;
      const fault = texts.plain.badLine(line, `${command.fault}; ${texts.plain.lineForms}`);
      await io.stderr.write(`undangle: ${printable(fault)}\n`);
      await events.write({ type: "input_error", data: { line, message: fault } });
    }
  };

  if (message !== undefined) await perform({ type: "message", message }, 0);
  else {
    for await (const { number, bytes } of readLines(io.stdin.read(), { longest: io.longestText }))
      await perform(
        readCommand(bytes.toString("utf8"), (fault) => manner.explainJson(fault)),
        number,
      );
  }
  await going;
  if ((await thread.pending()).length > 0 && which !== undefined) await follow(decideAll(opened, which));
  await untilTold(opened, events);
  if (isWrong) return 2;
  if ((await thread.pending()).length > 0) return 3;
  return events.hasFailed ? 1 : 0;
}

/** Waits until every event is printed. */
async function untilTold({ thread, store, start }: PlainThread, events: Teller): Promise<void> {
  const isTold = async (): Promise<boolean> =>
    Math.max(start, events.last()) >= ((await store.load(thread.id))?.lastEvent ?? 0);
  while (!(await isTold())) await pause(20);
}

/** True for a failed run. A run that was stopped on request, or that resumes after a crash, has not failed. */
const isFailure = (event: AgentEvent): boolean =>
  event.type === "run_end" &&
  event.data.error?.code !== "run/crashed" &&
  (event.data.status === "failed" || (event.data.status === "stopped" && event.data.error !== undefined));

/** Waits for the run that was already running. */
async function untilRest(events: AsyncIterable<AgentEvent>): Promise<void> {
  let begun = "";
  for await (const event of events) {
    if (event.type === "run_start") begun = event.data.runId;
    if (event.type === "run_end" && event.data.runId === begun) return;
  }
}
