import type { AgentEvent, PendingCall } from "#engine";

import { decodeText } from "../../input/decode-text.ts";
import { readLines } from "../../input/read-lines.ts";
import type { Io } from "../../io.ts";
import { complaint } from "../../terminal/complaint.ts";
import type { Look } from "../../terminal/palette.ts";
import { printable } from "../../terminal/printable.ts";
import type { Beginning } from "../chat.ts";
import { commandLine, resumeCommand } from "../open-chat.ts";
import { inexactLines } from "../view/argument-lines.ts";
import { shownCall } from "../view/rendered-lines.ts";
import { createPlainView } from "./plain-view.ts";
import { closePlainThread, decideAll, goingOn, openPlainThread, say } from "./plain-thread.ts";
import type { PlainThread } from "./plain-thread.ts";
import { stopWatch } from "./stop-watch.ts";
import type { StopWatch } from "./stop-watch.ts";

/** Sends messages without a terminal. Responses go to stdout, everything else to stderr. */
export async function chatInLines(beginning: Beginning, io: Io): Promise<number> {
  const opened = await openPlainThread(beginning);
  const stopped = stopWatch(io);
  let isBroken = true;
  try {
    const talking = talk({ ...opened, stopped }, beginning, io);
    talking.catch(() => undefined); // it may fail after the chat was stopped
    const code = await Promise.race([talking, stopped.code]);
    isBroken = stopped.isStopped();
    return code;
  } finally {
    io.stdin.close();
    await closePlainThread(opened, isBroken);
  }
}

interface Talking extends PlainThread {
  readonly stopped: StopWatch;
}

async function talk(opened: Talking, beginning: Beginning, io: Io): Promise<number> {
  const { place, manner } = beginning;
  const { thread, isGoingOn } = opened;
  const texts = manner.texts();
  const view = createPlainView(manner.face(io.stdout.columns), io, {
    quiet: place.options.quiet === true,
    calls: opened.calls,
    pending: opened.pending,
  });
  const [which] = place.options.approve ?? [];

  /** Prints events until the run ends and no call is left to decide. Returns the exit code. */
  const follow = async (events: AsyncIterable<AgentEvent>): Promise<0 | 1 | 3> => {
    const status = await view.tell(events);
    if (status === "failed" || status === "stopped") return 1;
    if (status === "done") return 0;
    return which === undefined ? 3 : follow(decideAll(opened, which));
  };
  const ended = async (code: 0 | 1 | 3, unsent: number): Promise<number> => {
    if (code === 3) await io.stderr.write(waitingText(await thread.pending(), thread.id, beginning));
    if (unsent > 0) await io.stderr.write(complaint(texts.plain.notSent(unsent), io.stderr));
    return code;
  };

  if (beginning.remark !== undefined) await view.remark(beginning.remark);
  const isNew = opened.start === 0;
  const remarkPlace = () => view.remark(texts.start.place({ thread: thread.id, isNew, store: place.storeName }));
  if (!isNew) await remarkPlace(); // a new thread is created with its first message
  if (opened.otherAgent !== undefined) await view.remark(texts.otherAgent(opened.otherAgent, opened.agent.name));
  if (isGoingOn) await view.remark(texts.recovered);
  let code: 0 | 1 | 3 = isGoingOn ? await follow(goingOn(opened)) : 0;
  const isWaiting = code === 0 && (await thread.pending()).length > 0;
  if (isWaiting) code = which === undefined ? 3 : await follow(decideAll(opened, which));
  let hasSaid = isGoingOn || isWaiting || code !== 0;
  const messages = messagesOf(beginning, io);
  for await (const message of messages) {
    if (opened.stopped.isStopped()) break; // no more messages are sent
    if (code === 3) return ended(code, 1 + (await countOf(messages)));
    if (isNew && !hasSaid) await remarkPlace();
    hasSaid = true;
    const next = await say(opened, message, follow);
    code = next === 0 ? code : next; // one failure fails the command
  }
  if (hasSaid) return ended(code, 0);
  await io.stderr.write(complaint(texts.plain.noMessage, io.stderr));
  return 2;
}

/** The messages: the one of the command line, or each line of stdin. */
async function* messagesOf({ message }: Beginning, io: Io): AsyncGenerator<string, void, undefined> {
  if (message !== undefined) {
    if (message !== "") yield message;
    return;
  }
  for await (const { bytes } of readLines(io.stdin.read(), { longest: io.longestText })) {
    const text = (decodeText(bytes)?.text ?? bytes.toString("utf8")).trim();
    if (text !== "") yield text;
  }
}

async function countOf(messages: AsyncIterable<string>): Promise<number> {
  let count = 0;
  for await (const _ of messages) count += 1;
  return count;
}

const plainLook = { paint: (_: Look, text: string) => text, columns: 116, rows: Infinity };

/** The pending calls, and the commands that decide them. */
function waitingText(pending: readonly PendingCall[], thread: string, { place, manner }: Beginning): string {
  const { plain, approval } = manner.texts();
  const [first] = pending;
  const decide = (...options: readonly string[]): string =>
    commandLine(place, { command: "threads decide", operands: [thread], options });
  // Only the chat gives the agent files or sub-agents, so only the chat can run these calls.
  const elsewhere =
    place.files === undefined && place.options.deep === undefined
      ? [decide("--approve", first?.id ?? "all"), decide("--reject", "all=REASON")]
      : [];
  const commands = [...elsewhere, resumeCommand(place, thread)];
  return [
    `undangle: ${plain.waiting(pending.length)}`,
    ...pending.flatMap((call) => [
      `  ${printable(`${call.id} ${call.path ?? call.name} ${JSON.stringify(call.arguments)}`)}`,
      ...shownCall(call, { ...plainLook, note: (lines) => plain.moreLines(lines) }).lines.map((line) => `    ${line}`),
      ...inexactLines(call, approval).map((line) => `    ! ${line}`),
    ]),
    ...(place.isKept ? [plain.howToDecide, ...commands.map((command) => `  ${printable(command)}`)] : [plain.notKept]),
    "",
  ].join("\n");
}
