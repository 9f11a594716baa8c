import type { StoredThread } from "#store";

import { printable } from "../../terminal/printable.ts";
import { pad, textWidth, truncate, wrap } from "../../terminal/text-width.ts";
import { roomIn } from "../view/face.ts";
import type { Face } from "../view/face.ts";
import { printBlock, printRemark } from "../view/show-event.ts";
import { setText } from "../view/text-flow.ts";
import type { Talk } from "./slash-command.ts";

const mostListed = 15;

/** `/threads` lists the threads of the store, newest first. */
export async function threadsCommand(talk: Talk, words: readonly string[]): Promise<void> {
  const { desk, place, thread } = talk;
  const search = words.join(" ");
  const threads = await place.store.list({ limit: mostListed, ...(search !== "" && { search }) });
  const now = Date.now();
  desk.show((view, face) => {
    const { paint, texts } = face;
    if (threads.length === 0) return printRemark(view, texts.commands.noThreads, face);
    const rows = threads.map((each) => rowOf(each, { face, now, isHere: each.id === thread().id }));
    const hint = setText(texts.commands.threadsHint, roomIn(face)).map((line) => paint("dim", line));
    return printBlock(view, "remark", [...tableLines(rows, face), ...hint], face);
  });
}

interface Row {
  readonly mark: string;
  readonly id: string;
  readonly about: string;
  readonly title: string;
}

function rowOf(
  { id, title = "", status, updatedAt }: StoredThread,
  { face: { texts, paint }, now, isHere }: { readonly face: Face; readonly now: number; readonly isHere: boolean },
): Row {
  const about = [ageText(now - updatedAt), texts.commands.statuses[status]].filter((word) => word !== "").join(" · ");
  return { mark: paint("cyan", isHere ? "›" : " "), id: printable(id), about, title: printable(title) };
}

/**
 * The narrowest column for a title. In a narrower window it goes below the id, which is never cut, so that it can be
 * copied.
 */
const leastTitle = 16;

function tableLines(rows: readonly Row[], face: Face): readonly string[] {
  const { paint } = face;
  const room = roomIn(face);
  const [ids, abouts] = [rows.map(({ id }) => textWidth(id)), rows.map(({ about }) => textWidth(about))];
  const [widest, longest] = [Math.max(...ids), Math.max(...abouts)];
  const left = room - widest - longest - 6;
  if (left >= leastTitle)
    return rows.map(
      ({ mark, id, about, title }) =>
        `${mark} ${pad(id, widest)}  ${paint("dim", pad(about, longest))}  ${truncate(title, left)}`,
    );
  return rows.flatMap(({ mark, id, about, title }) => [
    ...wrap(id, room - 2).map((line, row) => `${row === 0 ? mark : " "} ${line}`),
    ...[about, title].map((text) => paint("dim", `    ${truncate(text, room - 4)}`)),
  ]);
}

/** The approximate age of an event. */
function ageText(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  const hours = Math.floor(seconds / 3600);
  return hours < 48 ? `${hours} h` : `${Math.floor(hours / 24)} d`;
}
