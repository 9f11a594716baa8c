import { assemble, check, contextOverflow, explain, rules, UndangleError } from "undangle";
import type { AssembledTurn, Language, RuleId, StreamFormat } from "undangle";
import { formatFacts, streamEvents } from "undangle/report";
import type { Words } from "undangle/report";

import { messageOf } from "../../parts/error-message.ts";
import { readInput } from "../input/input-readers.ts";
import type { Found, FoundHistory } from "../input/found.ts";
import { diagnose } from "./diagnose.ts";
import type { Diagnosis } from "./diagnose.ts";
import { effectiveTarget } from "./effective-target.ts";
import type { Target } from "./effective-target.ts";
import type { Examination, InputView, RuleView, StreamReport } from "./examination.ts";
import { loadWords, wordsIn } from "./load-words.ts";
import { messageView } from "./message-view.ts";
import type { Message, WorkerRequest, WorkerResponses } from "./protocol.ts";
import { readFile } from "./read-file.ts";
import { writeOutput } from "./write-output.ts";

/** What the person opened. The page receives views of it, because a history may have 50 MB. */
let found: readonly Found[] = [];
let result: Diagnosis | readonly AssembledTurn[] | undefined;
let reading = new AbortController();

const handlers: {
  readonly [Type in keyof WorkerResponses]: (
    request: WorkerRequest<Type>,
  ) => WorkerResponses[Type] | Promise<WorkerResponses[Type]>;
} = {
  async read({ source }) {
    reading.abort();
    reading = new AbortController();
    const { signal } = reading;
    const onProgress = (share: number): void => {
      if (!signal.aborted) post({ type: "progress", share });
    };
    const read = typeof source === "string" ? { text: source } : await readFile(source, { signal, onProgress });
    if (signal.aborted) return { inputs: [], formats: [] }; // another input was read meanwhile
    onProgress(1);
    found = "fault" in read ? [{ type: "unreadable", reason: read.fault }] : readInput(read.text).found;
    const formats = formatFacts.map(({ format, providers }) => ({ format, providers }));
    return { inputs: viewInputs(), formats };
  },
  cancel: () => {
    reading.abort();
    return undefined;
  },
  examine: async ({ index, target, language }) => examine(found[index], target, await wordsIn(language)),
  messages({ side, from, count }) {
    const { history, repaired } = diagnosis() ?? {};
    const facts = formatFacts.find(({ format }) => format === repaired?.format);
    const list = facts?.messagesOf(side === "before" ? history?.value : repaired?.output) ?? [];
    return list.slice(from, from + count).map((each, i) => messageView(each, from + i));
  },
  output() {
    if (result === undefined) throw new Error("Nothing was examined.");
    return writeOutput(result);
  },
  original() {
    const made = diagnosis();
    if (made === undefined) throw new Error("Nothing was examined.");
    return { history: made.history.value, format: made.repaired.format };
  },
  rules: async ({ language }) => allRules(await wordsIn(language)),
};

const diagnosis = (): Diagnosis | undefined => (result !== undefined && "report" in result ? result : undefined);

async function examine(chosen: Found | undefined, target: Target, words: Words): Promise<Examination> {
  result = undefined;
  if (chosen === undefined) throw new Error("There is no such input.");
  switch (chosen.type) {
    case "history":
      return diagnosed(chosen, target, words);
    case "no-messages":
      if (target.format === undefined) return { type: "notice", notice: "no-messages", mayChooseFormat: true };
      return diagnosed({ type: "history", path: "", value: chosen.value }, target, words);
    case "stream":
      return await readStream(chosen.text, chosen.format, words);
    case "error-text":
      return {
        type: "error-text",
        text: chosen.text.slice(0, longestShown),
        isTooLong: contextOverflow(chosen.text.slice(-longestShown)) !== undefined,
        explanations: explain(chosen.text).map(({ rule, confidence }) => ({
          rule,
          ...ruleText(rule, words),
          confidence,
        })),
      };
    case "not-json":
      return { ...chosen, sentence: words.faults[chosen.fault] };
    case "session":
      return { type: "notice", notice: "session", detail: chosen.agent, mayChooseFormat: false };
    case "exported":
      return { type: "notice", notice: "exported", mayChooseFormat: false };
    case "unreadable":
      return { type: "notice", notice: chosen.reason, mayChooseFormat: false };
  }
}

/** The part of an error text that is shown. */
const longestShown = 4000;

function diagnosed(history: FoundHistory, target: Target, words: Words): Examination {
  const made = diagnose(history, target, words);
  if (!("report" in made)) return made;
  result = made;
  return made.report;
}

function ruleText(rule: RuleId, words: Words): { readonly title: string; readonly why: string; readonly fix: string } {
  const { title, why, fix } = words.rules[rule];
  return { title, why, fix };
}

async function readStream(text: string, format: StreamFormat, words: Words): Promise<StreamReport> {
  const turns = await assemble([text], { format }).turns();
  result = turns;
  return {
    type: "stream",
    format,
    frames: streamEvents(text).length,
    turns: turns.map(({ text: written, reasoning, calls, finish, complete, error, anomalies }) => ({
      text: written,
      reasoning,
      calls,
      finish,
      complete,
      ...(error !== undefined && { error }),
      anomalies: anomalies.slice(0, 200).map((anomaly) => ({
        kind: anomaly.kind,
        text: words.anomaly(anomaly),
        call: anomaly.call,
        frame: anomaly.frame,
      })),
    })),
  };
}

/** The number of histories that are checked for the list of choices. */
const mostChecked = 200;

function viewInputs(): readonly InputView[] {
  return found.map((one, i): InputView => {
    const place = { path: "path" in one ? (one.path ?? "") : "", ...("line" in one && { line: one.line }) };
    if (one.type !== "history") return { type: one.type, ...place };
    const messages = Math.max(...formatFacts.map(({ messagesOf }) => messagesOf(one.value).length));
    const problems = found.length > 1 && i < mostChecked ? countProblems(one) : undefined;
    return { type: "history", ...place, messages, ...(problems !== undefined && { problems }) };
  });
}

function countProblems(history: FoundHistory): number | undefined {
  try {
    return check(history.value, effectiveTarget(history, {})).length;
  } catch (error) {
    if (error instanceof UndangleError) return undefined; // the report states why
    throw error;
  }
}

function allRules(words: Words): readonly RuleView[] {
  return Object.entries(rules).map(([rule, { statement, lossless, cases }]) => ({
    rule: rule as RuleId, // a key of the table
    ...ruleText(rule as RuleId, words),
    statement,
    lossless,
    cases: cases.map(({ format, provider, statement: own, errors, source }) => ({
      format,
      provider,
      statement: own,
      errors,
      source,
    })),
  }));
}

const post = (message: Message): void => self.postMessage(message, { transfer: [] });

async function respond<Type extends keyof WorkerResponses>(request: WorkerRequest<Type>): Promise<void> {
  const handle: (request: WorkerRequest<Type>) => WorkerResponses[Type] | Promise<WorkerResponses[Type]> =
    handlers[request.type];
  try {
    post({ type: "response", id: request.id, value: await handle(request) });
  } catch (error) {
    post({ type: "failure", id: request.id, message: messageOf(error) });
  }
}

self.addEventListener("message", ({ data }: MessageEvent<WorkerRequest<keyof WorkerResponses>>) => void respond(data));

/** Loads what the library loads on first use, so that the page needs no network after this, and gives the network up. */
async function loadAll(): Promise<void> {
  const languages = self.name.split(" ") as readonly Language[]; // `startWorker` writes them
  await Promise.all([assemble([], { format: "openai-chat" }).turns(), ...languages.map(loadWords)]);
  // The policy of a page does not apply to its workers.
  for (const name of ["fetch", "XMLHttpRequest", "WebSocket", "EventSource", "WebTransport"])
    Object.defineProperty(self, name, { value: undefined });
  post({ type: "ready" });
}

loadAll().catch(() => post({ type: "not-loaded" }));
