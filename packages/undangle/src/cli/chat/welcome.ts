import type { Thread } from "#engine";
import { isRecord } from "#core";

import { printable } from "../terminal/printable.ts";
import { textWidth } from "../terminal/text-width.ts";
import type { OpenedAgent, Place } from "./open-chat.ts";
import type { Face } from "./view/face.ts";
import { measureIn } from "./view/face.ts";
import { printBlock, printSaid } from "./view/show-event.ts";
import type { Step } from "./view/show-event.ts";
import { setText } from "./view/text-flow.ts";
import type { View } from "./view/view.ts";

export interface Welcome {
  readonly version: string;
  readonly agent: OpenedAgent;
  readonly place: Place;
  readonly thread: string;
  readonly isNew: boolean;
}

/** What a chat runs on, what one could say first, and how to get help. */
export function welcomeStep(view: View, face: Face, { version, agent, place, thread, isNew }: Welcome): Step {
  const { texts, paint } = face;
  const room = measureIn(face);
  const dim = (text: string): readonly string[] => setText(text, room).map((line) => paint("dim", line));
  const [title = "", ...rest] = setText(texts.start.title({ version, agent: agent.name, model: agent.model }), room);
  const demo = [
    "",
    ...setText(agent.isDemo ? texts.start.demo : texts.start.pretend, room),
    ...setText(texts.start.sentence, room - 2).map((line) => `  ${paint("cyan", line)}`),
  ];
  const lines = [
    title.replace("undangle", paint("bold", "undangle")),
    ...rest,
    ...dim(texts.start.place({ thread, isNew, store: place.storeName })),
    ...(place.isKept ? [] : dim(texts.start.lost)),
    ...(agent.isPretend && isNew ? demo : []),
    ...dim(texts.start.keys),
  ];
  return printBlock(view, "remark", lines, face);
}

/** How to come back: a command is left to the terminal to break, so that it can be copied whole. */
export function resumeStep(view: View, face: Face, command: string): Step {
  const { start } = face.texts;
  const isShort = textWidth(start.resume(command)) <= measureIn(face);
  const lines = isShort ? [start.resume(command)] : [start.resume("").trimEnd(), command];
  return printBlock(
    view,
    "remark",
    lines.map((line) => face.paint("dim", printable(line))),
    face,
  );
}

/** What was said last in a thread, so that one knows where one is. */
export async function lastWords(thread: Thread): Promise<readonly Words[]> {
  const history = await thread.history("openai-chat");
  const messages = Array.isArray(history) ? (history as readonly unknown[]) : isRecord(history) ? listIn(history) : [];
  const spoken = messages.flatMap(wordsOf);
  const last = spoken.findLastIndex(({ by }) => by === "person");
  return last === -1 ? [] : spoken.slice(last);
}

interface Words {
  readonly by: "person" | "model";
  readonly text: string;
}

const listIn = ({ messages }: Readonly<Record<string, unknown>>): readonly unknown[] =>
  Array.isArray(messages) ? messages : [];

function wordsOf(message: unknown): readonly Words[] {
  if (!isRecord(message)) return [];
  const { role, content } = message;
  const parts: readonly unknown[] = Array.isArray(content) ? content : [content];
  const text = parts
    .map((part) =>
      typeof part === "string" ? part : isRecord(part) && typeof part["text"] === "string" ? part["text"] : "",
    )
    .join("");
  if (text.trim() === "" || (role !== "user" && role !== "assistant")) return [];
  return [{ by: role === "user" ? "person" : "model", text }];
}

/** Lines of what was said before, the last ones of a long answer. */
export function wordsStep(view: View, face: Face, { by, text }: Words): Step {
  if (by === "person") return printSaid(view, text, face);
  const lines = setText(text.trim(), measureIn(face));
  const shown = lines.length > mostLines ? ["…", ...lines.slice(-mostLines)] : lines;
  const step = printBlock(view, "answer", shown, face);
  return view.last === "answer" ? { ...step, lines: ["", ...step.lines] } : step; // it was another answer
}

const mostLines = 12;
