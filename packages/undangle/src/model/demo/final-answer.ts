import type { ModelRequest, ToolDescription } from "../model.ts";
import { fillArguments } from "./arguments/fill-arguments.ts";
import type { Filling } from "./arguments/fill-arguments.ts";
import { gather } from "./arguments/gathered.ts";
import { mendArguments } from "./arguments/mend-arguments.ts";
import { foundIn } from "./propose.ts";
import type { Situation } from "./situation.ts";
import { wordsOf } from "./wishes/words.ts";

/** The tool by which the final answer is given, where one is asked for. */
export function outputToolOf({ output, tools }: ModelRequest): ToolDescription | undefined {
  if (output === undefined) return undefined;
  return tools.find(({ schema }) => schema === output) ?? tools.find(({ name }) => name === "final_answer");
}

const answers = [
  "answer",
  "text",
  "summary",
  "result",
  "message",
  "content",
  "reply",
  "response",
  "reason",
  "explanation",
  "答案",
  "回答",
  "摘要",
  "结论",
];

/** An answer in the form that was asked for, of what was said and of what tools have found out. */
export function fillAnswer(
  schema: ToolDescription["schema"],
  report: string,
  situation: Situation,
  now: number,
): Filling {
  const { wish: message, results, language, rounds } = situation;
  const plain = report.replaceAll(/^- |`/gmu, "") || message;
  const wish = message;
  const gathered = gather({
    wish,
    message,
    results,
    fresh: foundIn(situation),
    done: [],
    isLetter: false,
    about: wordsOf(""),
    language,
    now,
  });
  const known = new Map([...answers.map((name) => [name, plain] as const), ...gathered.known]);
  const filling = fillArguments(schema, { ...gathered, known, isAnswer: true });
  const refused = rounds.at(-1)?.find(({ name, outcome }) => name === "final_answer" && outcome.type === "failed");
  const mended = refused === undefined ? undefined : mendArguments(refused, schema, gathered);
  return mended === undefined ? filling : { ok: true, arguments: mended.arguments, madeUp: [], carried: [] };
}
