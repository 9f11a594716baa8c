import { formats } from "#codecs";
import { languages, suggest } from "#core";
import { runModes } from "#engine";

import { findThread, newThreadId } from "../open-chat.ts";
import type { CommandWord } from "../texts/chat-texts.ts";
import { printFault, printRemark } from "../view/show-event.ts";
import { allowCommand } from "./allow-command.ts";
import { exportCommand } from "./export-command.ts";
import { helpCommand } from "./help-command.ts";
import { showCommand } from "./show-command.ts";
import type { SlashCommand, Talk } from "./slash-command.ts";
import { threadsCommand } from "./threads-list.ts";

const remark = ({ desk }: Talk, text: string): void => desk.show((view, face) => printRemark(view, text, face));

/** All commands by name, in the order of the help. */
const slashCommands: Readonly<Record<CommandWord, SlashCommand>> = {
  help: { usage: "", anytime: true, run: (talk) => helpCommand(talk, slashCommands) },
  new: { usage: "", anytime: false, run: (talk) => talk.enter(newThreadId()) },
  threads: { usage: "[WORDS]", anytime: true, run: threadsCommand },
  thread: { usage: "ID", anytime: false, run: goTo },
  pending: { usage: "", anytime: true, run: (talk) => talk.askPending() },
  show: { usage: "N", anytime: true, run: showCommand },
  model: { usage: "NAME", anytime: false, run: changeModel },
  mode: { usage: runModes.join("|"), anytime: true, run: changeMode, complete: () => runModes },
  retry: { usage: "", anytime: false, run: retry },
  fork: { usage: "", anytime: false, run: (talk) => talk.fork() },
  export: {
    usage: "[FORMAT] [FILE]",
    anytime: true,
    run: exportCommand,
    complete: () => ["undangle", "original", ...formats],
  },
  allow: { usage: "[revoke N]", anytime: true, run: allowCommand, complete: () => ["revoke"] },
  stop: { usage: "", anytime: true, run: stop },
  language: { usage: "en|zh", anytime: false, run: changeLanguage, complete: () => languages },
  quit: { usage: "", anytime: true, run: (talk) => talk.leave() },
};

const commandWords = Object.keys(slashCommands) as readonly CommandWord[]; // the keys of a literal

/** Runs a line that starts with a slash. */
export async function runSlash(text: string, talk: Talk): Promise<void> {
  const [first = "", ...words] = text.trim().slice(1).split(/\s+/u);
  const word = commandWords.find((each) => each === (first === "exit" ? "quit" : first));
  const { commands: texts } = talk.desk.face().texts;
  const refuse = (fault: string): void => talk.desk.show((view, face) => printFault(view, fault, face));
  if (word === undefined) return refuse(texts.unknown(first, suggest(first, commandWords)));
  const command = slashCommands[word];
  if (talk.isRunning() && !command.anytime) return refuse(texts.whileRunning);
  await command.run(talk, words);
}

/** The completions of a line that starts with a slash. */
export function completeSlash(text: string): readonly string[] {
  if (!text.startsWith("/")) return [];
  const [first = "", ...words] = text.slice(1).split(" ");
  if (words.length === 0) {
    const fitting = commandWords.filter((word) => word.startsWith(first));
    return fitting.map((word) => `/${word}${slashCommands[word].usage === "" ? "" : " "}`);
  }
  const word = commandWords.find((each) => each === first);
  if (word === undefined || words.length > 1) return [];
  const values = slashCommands[word].complete?.() ?? [];
  return values.filter((value) => value.startsWith(words[0] ?? "")).map((value) => `/${word} ${value}`);
}

async function goTo(talk: Talk, [id]: readonly string[]): Promise<void> {
  const { commands: texts } = talk.desk.face().texts;
  if (id === undefined) return remark(talk, texts.needs("/thread ID"));
  const found = await findThread(talk.place.store, id, talk.agent());
  if ("missing" in found) return remark(talk, texts.noThread(id, found.near));
  if ("ambiguous" in found) return remark(talk, texts.ambiguous(id, found.ids));
  return talk.enter(found.id);
}

async function changeModel(talk: Talk, [name]: readonly string[]): Promise<void> {
  const own = Object.keys(talk.place.loaded?.config.models ?? {});
  if (name === undefined)
    return remark(talk, talk.desk.face().texts.commands.models([...own, "demo", "openai/gpt-5.1"]));
  return talk.switchModel(name);
}

/** Changes the mode of the next messages. A running response keeps its own. */
function changeMode(talk: Talk, [word]: readonly string[]): void {
  const mode = runModes.find((each) => each === word);
  const { commands: texts } = talk.desk.face().texts;
  if (mode !== undefined) talk.manner.setMode(mode);
  const now = talk.manner.mode();
  if (word !== undefined && mode === undefined) remark(talk, texts.needs(`/mode ${runModes.join("|")}`));
  else remark(talk, now === undefined ? texts.modeOfThread : texts.mode(now));
}

async function retry(talk: Talk): Promise<void> {
  const problem = await talk.watch(talk.thread().regenerate());
  if (problem !== undefined) talk.desk.show((view, face) => printFault(view, problem, face));
}

function stop(talk: Talk): void {
  if (talk.isRunning()) talk.stop();
  else remark(talk, talk.desk.face().texts.commands.nothingRuns);
}

async function changeLanguage(talk: Talk, [word]: readonly string[]): Promise<void> {
  const language = languages.find((each) => each === word);
  const { commands: texts } = talk.desk.face().texts;
  if (language === undefined) return remark(talk, texts.needs(`/language ${languages.join("|")}`));
  await talk.setLanguage(language);
  remark(talk, talk.desk.face().texts.commands.language);
}
