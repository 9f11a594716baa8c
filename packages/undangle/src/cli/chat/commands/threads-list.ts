import { printable, truncate } from "../../terminal/text-width.ts";
import { roomIn } from "../view/face.ts";
import { printBlock, printRemark } from "../view/show-event.ts";
import { timeText } from "../view/size-text.ts";
import type { Talk } from "./slash-command.ts";

const mostListed = 15;

/** `/threads`: those of the store, the newest first. */
export async function threadsCommand(talk: Talk, words: readonly string[]): Promise<void> {
  const { desk, place, thread } = talk;
  const search = words.join(" ");
  const threads = await place.store.list({ limit: mostListed, ...(search !== "" && { search }) });
  const now = Date.now();
  desk.show((view, face) => {
    const { paint, texts } = face;
    if (threads.length === 0) return printRemark(view, texts.commands.noThreads, face);
    const lines = threads.map(({ id, title = "", status, updatedAt }) => {
      const state = texts.commands.statuses[status];
      const about = [ageText(now - updatedAt), state].filter((word) => word !== "").join(" · ");
      const mark = id === thread().id ? "›" : " ";
      const head = `${mark} ${printable(id)}  ${about}  `;
      return `${paint("cyan", mark)} ${printable(id)}  ${paint("dim", about)}  ${truncate(printable(title), Math.max(roomIn(face) - head.length - 4, 8))}`;
    });
    return printBlock(view, "remark", [...lines, paint("dim", texts.commands.threadsHint)], face);
  });
}

/** How long ago something was, roughly. */
function ageText(milliseconds: number): string {
  const hours = milliseconds / 3_600_000;
  if (hours < 1) return milliseconds < 60_000 ? timeText(Math.max(0, milliseconds)) : `${Math.floor(hours * 60)} min`;
  return hours < 48 ? `${Math.floor(hours)} h` : `${Math.floor(hours / 24)} d`;
}
