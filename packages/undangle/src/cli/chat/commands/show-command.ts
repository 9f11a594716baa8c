import type { CallView } from "#engine";

import { measureIn } from "../view/face.ts";
import { argumentLines } from "../view/argument-lines.ts";
import { resultText } from "../view/result-text.ts";
import { printBlock, printRemark } from "../view/show-event.ts";
import { setText } from "../view/text-flow.ts";
import type { Talk } from "./slash-command.ts";
import { printable } from "../../terminal/printable.ts";

/** `/show N` prints all of a call. */
export async function showCommand({ desk, thread }: Talk, [word = ""]: readonly string[]): Promise<void> {
  const calls = await thread().calls();
  const inner = (await thread().pending()).filter(({ path }) => path !== undefined);
  const call =
    calls.find(({ id }, index) => id === word || String(index + 1) === word) ??
    inner.map((each): CallView => ({ ...each, status: "awaiting" })).find(({ id }) => id === word) ??
    (word === "" ? calls.at(-1) : undefined);
  if (call === undefined) {
    desk.show((view, face) => printRemark(view, face.texts.commands.noCall(word, calls.length), face));
    return;
  }
  const place = calls.includes(call) ? String(calls.indexOf(call) + 1) : call.id;
  desk.show((view, face) => {
    const { paint, texts } = face;
    const room = measureIn(face) - 2;
    const state = call.status in texts.states ? texts.states[call.status as keyof typeof texts.states] : ""; // the state exists
    const args = argumentLines(call.arguments, room);
    const result = call.result ?? call.error;
    const told = result === undefined ? [] : setText(resultText(result), room);
    const lines = [
      `${paint("dim", printable(place))} ${paint("bold", printable(call.name))}  ${paint("dim", state)}`.trimEnd(),
      ...(args.length === 0 ? [] : [paint("dim", texts.commands.arguments), ...args.map((line) => `  ${line}`)]),
      ...(told.length === 0 ? [] : [paint("dim", texts.commands.result), ...told.map((line) => `  ${line}`)]),
    ];
    return printBlock(view, "remark", lines, face);
  });
}
