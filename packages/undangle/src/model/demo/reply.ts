import type { ModelRequest, ToolDescription } from "../model.ts";
import { amend } from "./amend.ts";
import { mendArguments } from "./arguments/mend-arguments.ts";
import { describedOutput } from "./described-output.ts";
import { fillAnswer, outputToolOf } from "./final-answer.ts";
import { progressOf } from "./progress.ts";
import { gatherFor, propose } from "./propose.ts";
import type { ProposedCall } from "./propose.ts";
import { isForeign } from "./persona.ts";
import { recall } from "./recall.ts";
import { readSituation } from "./situation.ts";
import type { Situation } from "./situation.ts";
import { phrases } from "./speech/phrases-by-language.ts";
import type { Phrases } from "./speech/phrases.ts";
import { reportOf } from "./speech/report.ts";
import { shownResult } from "./speech/shown-result.ts";
import { isSmallTalk, talk } from "./speech/talk.ts";
import { matchTool, readTool } from "./wishes/match-tool.ts";
import { readWishes } from "./wishes/wishes.ts";
import type { Wish } from "./wishes/wishes.ts";

/** What the model says, and what it calls. */
export interface Reply {
  readonly text: string;
  readonly calls: readonly ProposedCall[];
}

/** Turns with calls after one message, whatever happens. */
const mostRounds = 8;

/** Decides what to answer. It knows nothing but the request and the time. */
export function replyTo(request: ModelRequest, now: number): Reply {
  const output = outputToolOf(request);
  const tools = request.tools.filter((tool) => tool !== output);
  const situation = readSituation(request, output?.name);
  const scene: Scene = { request, output, tools, situation, words: phrases[situation.language], now };
  const { toolChoice = "auto" } = request;
  if (situation.rounds.length >= mostRounds && situation.fresh > 0)
    return sayOnly(scene, [told(scene), scene.words.enough]);
  if (typeof toolChoice === "object")
    return forced(
      scene,
      request.tools.find(({ name }) => name === toolChoice.tool),
    );
  if (situation.isAnswered && toolChoice !== "required") return sayOnly(scene, [scene.words.nothingNew]);
  const isTalk = situation.fresh === 0 && toolChoice !== "required" && request.output === undefined;
  if (isTalk && isForeign(situation.said)) return sayOnly(scene, [told(scene), scene.words.onlyTwoLanguages]);
  const { wishes } = wishesIn(scene);
  const recalled = isTalk ? recall(situation, { words: scene.words, now, hasTool: wishes.length > 0 }) : undefined;
  if (recalled !== undefined) return sayOnly(scene, [told(scene), recalled]);
  const { left, retriable } = progressOf(wishes, situation.rounds);
  if (toolChoice === "none")
    return answered(scene, left.length === 0 ? [] : [scene.words.toolsAreOff(left.map(({ tool }) => tool.name))]);
  const again = situation.fresh > 0 ? retried(scene, retriable) : amended(scene, left);
  return again ?? goOn(scene, left);
}

interface Scene {
  readonly request: ModelRequest;
  /** The tool for the final answer, which is not one of `tools`. */
  readonly output: ToolDescription | undefined;
  readonly tools: readonly ToolDescription[];
  readonly situation: Situation;
  readonly words: Phrases;
  readonly now: number;
}

function wishesIn({ situation: { wish, media }, tools }: Scene): ReturnType<typeof readWishes> {
  if (isSmallTalk(wish) || (wish === "" && media === 0)) return { wishes: [], unmet: [] };
  return readWishes(wish, tools.map(readTool));
}

/** The next step of the plan, unless the one before it went wrong: then the person is asked. */
function goOn(scene: Scene, left: readonly Wish[]): Reply {
  const { situation, words, now } = scene;
  const last = situation.fresh > 0 ? situation.rounds.at(-1) : undefined;
  const isBlocked = last?.some(({ outcome }) => outcome.type !== "succeeded") === true;
  const stage = Math.min(...left.map((wish) => wish.stage));
  const next = isBlocked ? [] : left.filter((wish) => wish.stage === stage);
  const { calls, unfillable, madeUp } = propose(next, situation, { now, words });
  if (calls.length > 0) {
    const isNext = situation.rounds.length > 0;
    const calling = words.calling(
      calls.map(({ name }) => name),
      isNext,
    );
    return { text: paragraphs(words, [told(scene), ...unfillable, calling, ...madeUp]), calls };
  }
  const waiting = isBlocked && left.length > 0 ? [words.left(left.map(({ tool }) => tool.name))] : [];
  const { unmet } = left.length === 0 ? wishesIn(scene) : { unmet: [] };
  const dropped = unmet.length === 0 ? [] : [words.unmet(unmet)];
  const isRequired = scene.request.toolChoice === "required" && scene.request.tools.length > 0;
  return isRequired && scene.output === undefined
    ? forced(scene, undefined)
    : answered(scene, [...unfillable, ...waiting, ...dropped]);
}

/** Once more, with other arguments, what was refused because of its arguments. */
function retried({ situation, tools, words, now }: Scene, failed: Situation["rounds"][number]): Reply | undefined {
  const calls: ProposedCall[] = [];
  const sentences: string[] = [];
  const tried = new Set<unknown>();
  for (const call of failed) {
    const tool = tools.find(({ name }) => name === call.name);
    if (tool === undefined || call.outcome.type !== "failed") continue;
    const mended = mendArguments(call, tool.schema, gatherFor(tool, situation.wish, situation, now));
    if (mended === undefined) continue;
    const { name } = call;
    const values = mended.changed.map((key) => `\`${key}\`: ${JSON.stringify(mended.arguments[key]) ?? "-"}`);
    calls.push({ name, arguments: mended.arguments });
    tried.add(call);
    sentences.push(words.retry(name, problemIn(call.outcome.text, words), words.pairs(values)));
  }
  if (calls.length === 0) return undefined;
  const others = (situation.rounds.at(-1) ?? []).filter((call) => !tried.has(call));
  return { text: paragraphs(words, [reportOf(others, words), ...sentences]), calls };
}

/** What was refused, in the way in which the person now wants it. */
function amended(scene: Scene, left: readonly Wish[]): Reply | undefined {
  const { situation, tools, words, now } = scene;
  if (left.length > 0 || situation.wish !== situation.said || isSmallTalk(situation.said)) return undefined;
  const call = amend(situation, tools, now);
  if (call === undefined) return undefined;
  return { text: paragraphs(words, [told(scene), words.calling([call.name], false)]), calls: [call] };
}

/** What is wrong, without saying again what was called. */
const problemIn = (text: string, words: Phrases): string =>
  shownResult(
    text.replace(/^[^\n]*(?:arguments do not fit:|参数不符合要求：)\s*/u, "").replaceAll(/^- /gmu, ""),
    words,
  ).replace(/[.。]$/u, "");

/** A call because one has to be made: of the tool that is named, of the one that fits best, or of the first. */
function forced(scene: Scene, named: ToolDescription | undefined): Reply {
  const { situation, words, now, output } = scene;
  const tools = scene.tools.map(readTool);
  const tool = named ?? matchTool(situation.wish, tools)?.tool.tool ?? tools[0]?.tool;
  if (tool === undefined || tool === output) return answered(scene, []);
  const anew = { ...situation, rounds: [] }; // it is called, whether it was called before or not
  const { calls, unfillable, madeUp } = propose([{ tool, text: situation.wish, stage: 0 }], anew, { now, words });
  if (calls.length === 0) return answered(scene, unfillable);
  return { text: paragraphs(words, [told(scene), words.calling([tool.name], false), ...madeUp]), calls };
}

/** The end of a turn: what was found out, in words, and in the form that was asked for where one was. */
function answered(scene: Scene, remarks: readonly string[]): Reply {
  const { situation, tools, words } = scene;
  const report = told(scene);
  if (scene.request.output !== undefined) return formed(scene, report, remarks);
  if (situation.fresh > 0 || remarks.length > 0) return sayOnly(scene, [report, ...remarks]);
  if (situation.wish !== situation.said || situation.rounds.length > 0)
    return sayOnly(scene, [report, words.nothingLeft]);
  return sayOnly(scene, [report, talk(situation, tools, words)]);
}

function formed(scene: Scene, report: string, remarks: readonly string[]): Reply {
  const { request, output, situation, words, now } = scene;
  const schema = output?.schema ?? describedOutput(request.output ?? {}, request);
  const failed = situation.rounds.flat().filter(({ name }) => name === output?.name).length;
  const filling = fillAnswer(schema, report, situation, now);
  if (!filling.ok || failed > 1) {
    const { parameter } = filling.ok ? { parameter: undefined } : filling;
    return sayOnly(scene, [report, ...remarks, words.unfillable(output?.name ?? "output", parameter, undefined)]);
  }
  if (output === undefined || request.toolChoice === "none")
    return { text: JSON.stringify(filling.arguments), calls: [] };
  const madeUp = filling.madeUp.map((name) => [name, JSON.stringify(filling.arguments[name])] as const);
  const text = paragraphs(words, [
    report,
    ...remarks,
    words.finalAnswer,
    ...(madeUp.length > 0 ? [words.unfound(madeUp)] : []),
  ]);
  return { text, calls: [{ name: output.name, arguments: filling.arguments }] };
}

/** What became of the calls that nobody has told of yet. */
function told({ situation: { rounds, fresh, untold }, words, output }: Scene): string {
  const round = fresh > 0 ? (rounds.at(-1) ?? []) : untold;
  return reportOf(
    round.filter(({ name }) => name !== output?.name),
    words,
  );
}

const sayOnly = ({ words }: Scene, texts: readonly string[]): Reply => ({ text: paragraphs(words, texts), calls: [] });

/** One paragraph, or several where one of them has lines of its own. */
function paragraphs({ space }: Phrases, texts: readonly string[]): string {
  const given = texts.filter((text) => text !== "");
  return given.join(given.some((text) => text.includes("\n")) ? "\n\n" : space);
}
