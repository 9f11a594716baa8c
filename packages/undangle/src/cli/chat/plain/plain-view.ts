import { Buffer } from "node:buffer";

import type { AgentEvent, CallView, RunStatus } from "#engine";

import type { Io } from "../../io.ts";
import { printable, printableLines } from "../../terminal/printable.ts";
import type { Face } from "../view/face.ts";
import { endedLines } from "../view/call-lines.ts";
import { callIn } from "../view/show-event.ts";
import { newView, numbered, withCall } from "../view/view.ts";

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
}

/**
 * Writes responses to stdout, unchanged in a pipe and escaped on a terminal. Tools, reasoning and anomalies go to
 * stderr.
 */
export function createPlainView(face: Face, io: Io, { quiet, calls }: PlainViewOptions): PlainView {
  const texts = { ...face.texts, folded: (result: Folded) => face.texts.plain.folded(result) };
  const plain: Face = { texts, paint: (_, text) => text, columns: 120, rows: Infinity };
  const shown = (text: string): string | Uint8Array => (io.stdout.isTTY ? printableLines(text) : Buffer.from(text)); // a pipe gets the bytes unchanged
  let view = newView(calls);
  let [isOpen, isTold] = [false, false]; // a line of the response is open; part of the response was printed
  const remark = async (text: string): Promise<void> => {
    if (!quiet) await io.stderr.write(`${printableLines(text)}\n`);
  };
  const closeLine = async (): Promise<void> => {
    if (isOpen) await io.stdout.write("\n");
    isOpen = false;
  };

  const tellOne = async (event: AgentEvent): Promise<void> => {
    switch (event.type) {
      case "text_delta":
        isTold ||= event.data.text !== "";
        isOpen = event.data.text === "" ? isOpen : !event.data.text.endsWith("\n");
        return io.stdout.write(shown(event.data.text));
      case "tool_call_ready":
      case "approval_required":
        view = withCall(numbered(view, event.data.id), event.data.id, {
          name: event.data.name,
          arguments: event.data.arguments,
        });
        return undefined;
      case "tool_call_running": {
        const { id, name, progress, arguments: changed } = event.data;
        const running = { name, state: "running", since: io.now() } as const;
        if (progress === undefined)
          view = withCall(view, id, changed === undefined ? running : { ...running, arguments: changed });
        return undefined;
      }
      case "tool_call_end": {
        const { id } = event.data;
        view = numbered(view, id);
        const ended = { call: callIn(view, id), number: view.numbers.get(id) ?? 0, at: io.now() };
        return remark(endedLines(event.data, ended, plain).join("\n"));
      }
      case "repair":
      case "warning":
        return remark(`· ${event.data.message}`);
      case "model_discarded":
        await closeLine();
        return isTold ? remark(plain.texts.discarded(event.data.reason)) : undefined;
      case "model_start":
        isTold = false;
        return undefined;
      case "model_end":
        return closeLine();
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
