import { printable } from "../terminal/printable.ts";
import { textWidth } from "../terminal/text-width.ts";
import type { OpenedAgent, Place } from "./open-chat.ts";
import type { StartTexts } from "./texts/chat-texts.ts";
import type { Face } from "./view/face.ts";
import { measureIn } from "./view/face.ts";
import { printBlock } from "./view/show-event.ts";
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

/** The configuration of the chat, a suggestion for the first message, and how to get help. */
export function welcomeStep(view: View, face: Face, { version, agent, place, thread, isNew }: Welcome): Step {
  const {
    texts: { start },
    paint,
  } = face;
  const room = measureIn(face);
  const dim = (text: string): readonly string[] => setText(text, room).map((line) => paint("dim", line));
  const [title = "", ...rest] = setText(start.title({ version, agent: agent.name, model: agent.model }), room);
  const { intro, sentence } = suggestion(start, { isDemo: agent.isDemo, place });
  const demo = [
    "",
    ...(intro === "" ? [] : setText(intro, room)),
    ...setText(sentence, room - 2).map((line) => `  ${paint("cyan", line)}`),
  ];
  const lines = [
    title.replace("undangle", paint("bold", "undangle")),
    ...rest,
    ...dim(start.place({ thread, isNew, store: place.storeName })),
    ...(place.files === undefined ? [] : dim(start.files(place.files))),
    ...(place.isKept ? [] : dim(start.lost)),
    ...(agent.isPretend && isNew ? demo : []),
    ...dim(start.keys),
  ];
  return printBlock(view, "remark", lines, face);
}

/** A first message, and what it shows. */
function suggestion(
  start: StartTexts,
  { isDemo, place }: { readonly isDemo: boolean; readonly place: Place },
): { readonly intro: string; readonly sentence: string } {
  if (place.options.deep === true) return { intro: isDemo ? start.deepDemo : "", sentence: start.deepSentence };
  if (place.files !== undefined) return { intro: isDemo ? start.filesDemo : "", sentence: start.filesSentence };
  return { intro: isDemo ? start.demo : start.pretend, sentence: start.sentence };
}

/** The command that resumes. It is not wrapped, so that it can be copied. */
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
