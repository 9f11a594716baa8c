import { assemble, check, explain, rules, UndangleError } from "undangle";
import type { Format, Language, RuleId, StreamFormat } from "undangle";
import { anomalyText, formatFacts, jsonFaults, ruleTexts, streamEvents } from "undangle/report";

import { readInput } from "../input/input-readers.ts";
import type { Found } from "../input/input-readers.ts";
import { diagnose } from "./diagnose.ts";
import type { Diagnosis } from "./diagnose.ts";
import type { Examination, InputView, RuleView, StreamReport } from "./examination.ts";
import { messageView } from "./message-view.ts";
import type { Answers, Asked, Message } from "./protocol.ts";
import { readText } from "./read-text.ts";

/** What the person opened. The page receives views of it, because a history may have 50 MB. */
let found: readonly Found[] = [];
let diagnosis: Diagnosis | undefined;
let history: unknown;
let reading = new AbortController();

const handlers: { readonly [Type in keyof Answers]: (asked: Asked<Type>) => Answers[Type] | Promise<Answers[Type]> } = {
  async read({ source }) {
    reading.abort();
    reading = new AbortController();
    const { signal } = reading;
    const onProgress = (share: number): void => post({ type: "progress", share });
    const text = typeof source === "string" ? source : await readText(source, { signal, onProgress });
    onProgress(1);
    const read = readInput(text);
    ({ found } = read);
    const formats = formatFacts.map(({ format, providers }) => ({ format, providers }));
    return { reader: read.reader, inputs: viewInputs(), formats };
  },
  cancel: () => {
    reading.abort();
    return undefined;
  },
  examine: async ({ index, target, language }) => examine(found[index], target, language),
  messages({ side, from, count }) {
    const facts = formatFacts.find(({ format }) => format === diagnosis?.repaired.format);
    const list = facts?.messagesOf(side === "before" ? history : diagnosis?.repaired.output) ?? [];
    return list.slice(from, from + count).map((each, i) => messageView(each, from + i));
  },
  output: () => new Blob([JSON.stringify(diagnosis?.repaired.output, undefined, 2)], { type: "application/json" }),
  rules: ({ language }) => allRules(language),
};

async function examine(
  chosen: Found | undefined,
  target: { readonly format?: Format | undefined; readonly provider?: string | undefined },
  language: Language,
): Promise<Examination> {
  diagnosis = undefined;
  if (chosen === undefined) throw new Error("There is no such input.");
  switch (chosen.type) {
    case "history":
    case "no-messages": {
      history = chosen.value;
      const result = diagnose(chosen.value, target, language);
      if (!("report" in result)) return result;
      diagnosis = result;
      return result.report;
    }
    case "stream":
      return await readStream(chosen.text, chosen.format, language);
    case "error-text":
      return {
        type: "error-text",
        text: chosen.text.slice(0, 4000),
        explanations: explain(chosen.text, target.format === undefined ? {} : { format: target.format }).map(
          ({ rule, confidence }) => ({ rule, ...ruleText(rule, language), confidence }),
        ),
      };
    case "not-json":
      return { ...chosen, sentence: jsonFaults[language][chosen.fault] };
  }
}

function ruleText(
  rule: RuleId,
  language: Language,
): { readonly title: string; readonly why: string; readonly fix: string } {
  const { title, why, fix } = ruleTexts[language][rule];
  return { title, why, fix };
}

async function readStream(text: string, format: StreamFormat, language: Language): Promise<StreamReport> {
  const turns = await assemble([text], { format }).turns();
  return {
    type: "stream",
    format,
    frames: streamEvents(text).length,
    turns: turns.map(({ text: said, reasoning, calls, finish, complete, error, anomalies }) => ({
      text: said,
      reasoning,
      calls,
      finish,
      complete,
      ...(error !== undefined && { error }),
      anomalies: anomalies.slice(0, 200).map((anomaly) => ({
        kind: anomaly.kind,
        text: anomalyText(anomaly, language),
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
    if (one.type !== "history") return { type: one.type, path: "" };
    const { line, path, value } = one;
    const messages = Math.max(...formatFacts.map(({ messagesOf }) => messagesOf(value).length));
    const problems = found.length > 1 && i < mostChecked ? countProblems(value) : undefined;
    return {
      type: "history",
      path,
      messages,
      ...(line !== undefined && { line }),
      ...(problems !== undefined && { problems }),
    };
  });
}

function countProblems(value: unknown): number | undefined {
  try {
    return check(value).length;
  } catch (error) {
    if (error instanceof UndangleError) return undefined; // the report states why
    throw error;
  }
}

function allRules(language: Language): readonly RuleView[] {
  return Object.entries(rules).map(([rule, { statement, lossless, cases }]) => ({
    rule: rule as RuleId, // a key of the table
    ...ruleText(rule as RuleId, language),
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

async function answer<Type extends keyof Answers>(asked: Asked<Type>): Promise<void> {
  const handle: (asked: Asked<Type>) => Answers[Type] | Promise<Answers[Type]> = handlers[asked.type];
  try {
    post({ type: "answer", id: asked.id, value: await handle(asked) });
  } catch (error) {
    post({ type: "failure", id: asked.id, message: error instanceof Error ? error.message : String(error) });
  }
}

self.addEventListener("message", ({ data }: MessageEvent<Asked<keyof Answers>>) => void answer(data));

/** Loads what the library loads on first use, so that the page needs no network after this. */
async function loadAll(): Promise<void> {
  await assemble([], { format: "openai-chat" }).turns();
  post({ type: "ready" });
}

void loadAll();
