import { Buffer } from "node:buffer";

import type { AgentEvent, CallView, PendingCall, RunStatus } from "#engine";

import type { Io } from "../../io.ts";
import { printable, printableLines } from "../../terminal/printable.ts";
import type { Face } from "../view/face.ts";
import { endedLines } from "../view/call-lines.ts";
import { callIn } from "../view/show-event.ts";
import { newView, numbered, pathTo, withCall } from "../view/view.ts";

type Folded = Parameters<Face["texts"]["folded"]>[0];

/** Prints events as plain lines. */
export interface PlainView {
  /** Prints events until they end. Returns the status of the last run. */
  tell(events: AsyncIterable<AgentEvent>): Promise<RunStatus>;
  remark(text: string): Promise<void>;
}

export interface PlainViewOptions {
  readonly quiet: boolean;
  /** The calls that the thread already has. */
  readonly calls: readonly CallView[];
  /** Its pending calls, with those of sub-agents. */
  readonly pending: readonly PendingCall[];
}

/**
 * Writes responses to stdout, unchanged in a pipe and escaped on a terminal. Tools, reasoning and anomalies go to
 * stderr.
 */
export function createPlainView(face: Face, io: Io, { quiet, calls, pending }: PlainViewOptions): PlainView {
  const texts = { ...face.texts, folded: (result: Folded) => face.texts.plain.folded(result) };
  const plain: Face = { texts, paint: (_, text) => text, columns: 120, rows: Infinity };
  const shown = (text: string): string | Uint8Array => (io.stdout.isTTY ? printableLines(text) : Buffer.from(text)); // a pipe gets the bytes unchanged
  let view = newView(
    calls,
    pending.filter(({ path }) => path !== undefined),
  );
  let [isOpen, isTold] = [false, false]; // a line of the response is open; part of the response was printed
  const remark = async (text: string): Promise<void> => {
    if (!quiet) await io.stderr.write(`${printableLines(text)}\n`);
  };
  const closeLine = async (): Promise<void> => {
    if (isOpen) await io.stdout.write("\n");
    isOpen = false;
  };

  /** Where a sub-agent is, for people: `task#call_1 > `. */
  const placeOf = (path: readonly string[]): string =>
    path
      .map(
        (id, depth) =>
          `${view.calls.find((call) => call.id === path.slice(0, depth + 1).join("/"))?.name ?? "task"}#${id} > `,
      )
      .join("");

  const tellOne = async (event: AgentEvent): Promise<void> => {
    const { path = [] } = event;
    if (path.length > 0 && isSpeech(event)) return; // the result of its call is what a sub-agent reports
    switch (event.type) {
      case "text_delta":
        isTold ||= event.data.text !== "";
        isOpen = event.data.text === "" ? isOpen : !event.data.text.endsWith("\n");
        return io.stdout.write(shown(event.data.text));
      case "tool_call_ready":
      case "approval_required": {
        const { id, name, arguments: args } = event.data;
        const inner = event.type === "approval_required" ? pathTo(event.data) : path;
        view = withCall(numbered(view, id, inner), id, { name, path: inner, arguments: args });
        return undefined;
      }
      case "tool_call_running": {
        const { id, name, progress, arguments: changed } = event.data;
        const running = { name, path, state: "running", since: io.now() } as const;
        if (progress === undefined)
          view = withCall(view, id, changed === undefined ? running : { ...running, arguments: changed });
        return undefined;
      }
      case "tool_call_end": {
        const { id, name } = event.data;
        view = numbered(view, id, path);
        const ended = { call: callIn(view, id), number: view.numbers.get(id), at: io.now() };
        return remark(endedLines({ ...event.data, name: placeOf(path) + name }, ended, plain).join("\n"));
      }
      case "repair":
      case "warning":
        return remark(`· ${event.data.message}`);
      case "model_discarded":
        await closeLine();
        return isTold ? remark(plain.texts.discarded(event.data.reason)) : undefined;
      case "model_start":
        isTold &&= event.data.purpose !== undefined; // a summary is not a response
        return undefined;
      case "model_end":
        return event.data.purpose === undefined ? closeLine() : undefined;
      case "run_end":
        await closeLine();
        if (event.data.error !== undefined && event.data.error.code !== "run/crashed")
          await io.stderr.write(`undangle: ${printable(event.data.error.message)}\n`);
        return undefined;
      default:
        return undefined; // printed when it is complete
    }
  };
  return {
    remark,
    async tell(events) {
      let status: RunStatus = "done";
      for await (const event of events) {
        await tellOne(event);
        if (event.type === "run_end") ({ status } = event.data);
      }
      return status;
    },
  };
}

/** True for what a model says, in contrast to what its tools do. */
const isSpeech = ({ type }: AgentEvent): boolean =>
  type === "text_delta" || type === "model_start" || type === "model_end" || type === "model_discarded";
