import { inexactNumbers } from "#engine";
import type { PendingCall } from "#engine";

import { harmlessJson } from "../../terminal/printable.ts";
import type { Desk } from "../desk.ts";
import { lineOf } from "../input/line.ts";
import { inexactLines } from "../view/argument-lines.ts";
import { printFault, printRemark } from "../view/show-event.ts";
import { readArguments } from "./read-arguments.ts";

type Arguments = Readonly<Record<string, unknown>>;

/**
 * Lets the user edit the arguments of a call, in an editor or in a line, until they are JSON and `accept` returns no
 * problem. False if the user cancels.
 */
export async function editArguments(call: PendingCall, desk: Desk, { accept, explain }: EditOptions): Promise<boolean> {
  // Raw bidirectional marks would make an editor show other arguments than those that run.
  const first = `${harmlessJson(JSON.stringify(call.arguments, undefined, 2))}\n`;
  let [text, line] = [first, 1];
  for (;;) {
    const edited = await written(text, line, desk);
    const texts = desk.face().texts.approval;
    if (edited === undefined) return false;
    if (edited.trim() === text.trim() && text === first) {
      desk.show((view, face) => printRemark(view, texts.unchanged, face));
      return false;
    }
    const read = readArguments(edited);
    let fault: string | undefined;
    [text, line] = [edited, 1];
    if (read.type === "arguments")
      fault = inexactLines({ inexact: inexactNumbers(edited) }, texts).join("\n") || (await accept(read.arguments));
    else if (read.type === "no-object") fault = texts.notAnObject;
    else {
      fault = texts.badJson(`${read.line}:${read.column}: ${explain(read.fault)}`);
      ({ line } = read);
    }
    if (fault === undefined) return true;
    const said = fault;
    desk.show((view, face) => printFault(view, said, face));
    const again = await desk.ask({
      type: "choice",
      choices: [
        { key: "Enter", label: texts.editAgain },
        { key: "Esc", label: texts.back },
      ],
    });
    if (again === undefined) return false;
  }
}

export interface EditOptions {
  readonly accept: (args: Arguments) => Promise<string | undefined>;
  /** Describes a JSON error. */
  readonly explain: (fault: Extract<ReturnType<typeof readArguments>, { type: "not-json" }>["fault"]) => string;
}

/** The edited text; undefined if the user cancels. */
async function written(text: string, line: number, desk: Desk): Promise<string | undefined> {
  const texts = desk.face().texts.approval;
  try {
    const edited = await desk.edit(text, line);
    if (edited !== undefined) return edited;
    desk.show((view, face) => printRemark(view, texts.noEditor, face));
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
    desk.show((view, face) => printFault(view, `${error.message}\n${texts.noEditor}`, face)); // the editor cannot be started
  }
  return desk.ask({ type: "line", label: texts.line, line: lineOf(flat(text)) });
}

/** JSON on one line. Other text only loses its line breaks. */
function flat(text: string): string {
  const read = readArguments(text);
  if (read.type === "arguments") return harmlessJson(JSON.stringify(read.arguments));
  const lines = text.split("\n").map((line) => line.trim());
  return lines.filter((line) => line !== "").join(" ");
}
