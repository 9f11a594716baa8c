import { pad, textWidth, wrap } from "../../terminal/text-width.ts";
import { roomIn } from "../view/face.ts";
import type { Face } from "../view/face.ts";
import { printBlock } from "../view/show-event.ts";
import type { SlashCommand, Talk } from "./slash-command.ts";
import type { CommandWord } from "../texts/chat-texts.ts";

type Row = readonly [term: string, meaning: string];

/** `/help` lists the commands and keys. */
export function helpCommand({ desk }: Talk, commands: Readonly<Record<CommandWord, SlashCommand>>): void {
  desk.show((view, face) => {
    const { title, summaries, keysTitle, keys } = face.texts.commands;
    const rows = (Object.keys(commands) as readonly CommandWord[]).map((word): Row => [
      // the keys of a literal
      `/${word} ${commands[word].usage}`.trimEnd(),
      summaries[word],
    ]);
    const lines = [
      face.paint("bold", title),
      ...tableLines(rows, face),
      "",
      face.paint("bold", keysTitle),
      ...tableLines(keys, face),
    ];
    return printBlock(view, "remark", lines, face);
  });
}

/** Terms with their meanings beside them, or below in a narrow window. */
function tableLines(rows: readonly Row[], face: Face): readonly string[] {
  const column = Math.max(...rows.map(([term]) => textWidth(term))) + 4;
  const room = Math.min(roomIn(face), 100);
  if (room - column < 16) {
    return rows.flatMap(([term, meaning]) => [
      ...wrap(term, room).map((line) => face.paint("cyan", line)),
      ...wrap(meaning, room - 2).map((line) => `  ${face.paint("dim", line)}`),
    ]);
  }
  return rows.flatMap(([term, meaning]) =>
    wrap(meaning, room - column).map(
      (line, row) => `  ${face.paint("cyan", pad(row === 0 ? term : "", column - 2))}${line}`,
    ),
  );
}
