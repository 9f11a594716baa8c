import type { Message, Result } from "#codecs";
import { isRecord, parseJson } from "#core";
import type { Cause, JsonObject, Language } from "#core";

import type { ModelRequest, ToolDescription } from "../model.ts";
import { deepReply } from "./deep-task.ts";
import type { DeepScene } from "./deep-task.ts";
import { fillArguments } from "./fill-arguments.ts";
import { phrases } from "./phrases.ts";
import type { Phrases } from "./phrases.ts";
import { planCalls } from "./plan-calls.ts";
import type { PlannedCall } from "./plan-calls.ts";

export interface Reply {
  readonly text: string;
  readonly calls: readonly { readonly name: string; readonly arguments: JsonObject }[];
}

const longestMessage = 4000;

/** The reply to a conversation, a pure function of the request. */
export function replyTo(request: ModelRequest): Reply {
  const scene = readScene(request);
  const { words, message, rounds, tools, output } = scene;
  const { toolChoice: choice = "auto" } = request;
  const named = typeof choice === "object" ? tools.find(({ name }) => name === choice.tool) : undefined;
  const deep = choice === "auto" ? deepReply(deepSceneOf(scene)) : undefined;
  if (deep !== undefined) return deep;
  if (named !== undefined && rounds.length === 0) return call(scene, [{ tool: named, text: message, stage: 0 }]);
  const left = withoutMade(planCalls(message, tools), rounds.flat());
  if (choice === "none")
    return finish(scene, left.length === 0 ? "" : words.toolsAreOff(left.map(({ tool }) => tool.name)));
  const hasFailed = rounds.at(-1)?.some(({ isError }) => isError) === true;
  const next = hasFailed ? [] : left.filter(({ stage }) => stage === left[0]?.stage);
  if (next.length > 0) return call(scene, next);
  const [tool] = tools;
  const isForced = choice === "required" && rounds.length === 0 && output === undefined;
  return isForced && tool !== undefined ? call(scene, [{ tool, text: message, stage: 0 }]) : finish(scene);
}

interface Scene {
  readonly request: ModelRequest;
  readonly language: Language;
  readonly words: Phrases;
  /** The tool for the final answer. */
  readonly output: ToolDescription | undefined;
  /** All other tools. */
  readonly tools: readonly ToolDescription[];
  /** What the user wrote since the last reply. */
  readonly message: string;
  /** The results since then, one list per turn. */
  readonly rounds: readonly (readonly Result[])[];
  /** Results that no reply has reported. */
  readonly unreported: readonly Result[];
}

function readScene(request: ModelRequest): Scene {
  const { output: schema, tools } = request;
  const isOutput = (tool: ToolDescription): boolean => tool.schema === schema || tool.name === "final_answer";
  const output = schema === undefined ? undefined : tools.find(isOutput);
  const messages = request.messages.filter((each) => output === undefined || !isReminder(each, output.name));
  const last = messages.findLastIndex(({ role }) => role === "user");
  const before = messages.findLastIndex(({ role }, i) => i < last && role !== "user");
  const texts = messages.slice(before + 1, last + 1).map(textOf);
  const message = texts.join("\n").trim().slice(0, longestMessage);
  const unquoted = message.replaceAll(/"[^"]*"|“[^”]*”|`[^`]*`|'[^']*'/gu, "");
  const language = /\p{Script=Han}/u.test(unquoted) ? "zh" : /[a-z]/iu.test(unquoted) ? "en" : request.language;
  return {
    request,
    language,
    words: phrases[language],
    output,
    tools: tools.filter((tool) => tool !== output),
    message,
    rounds: roundsIn(messages.slice(last + 1)),
    unreported: roundsIn(messages.slice(messages.findLastIndex(({ role }) => role === "assistant"))).flat(),
  };
}

const deepSceneOf = ({ request, language, message, tools, rounds }: Scene): DeepScene => ({
  language,
  message,
  tools: new Set(tools.map(({ name }) => name)),
  results: rounds.flat().map((result) => ({
    name: result.name,
    text: resultText(result),
    isError: result.isError,
    isUnknown: isUnknown(result),
  })),
  isSerial: request.parallelCalls === false,
});

/** The engine's request to call the output tool is not a message of the user. */
const isReminder = (message: Message, output: string): boolean =>
  /^(?:Please give your final answer by calling|请调用)/u.test(textOf(message)) && textOf(message).includes(output);

const textOf = (message: Message): string =>
  message.role === "user" || message.role === "system"
    ? message.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n")
    : "";

const roundsIn = (messages: readonly Message[]): readonly (readonly Result[])[] =>
  messages.flatMap((message) => (message.role === "tool" ? [message.results] : []));

/** The plan without the calls that were made, whatever their result. */
function withoutMade(plan: readonly PlannedCall[], made: readonly Result[]): readonly PlannedCall[] {
  const names = made.map(({ name }) => name);
  return plan.filter(({ tool }) => {
    const at = names.indexOf(tool.name);
    if (at >= 0) names.splice(at, 1);
    return at < 0;
  });
}

function call(scene: Scene, planned: readonly PlannedCall[]): Reply {
  const { words, request, rounds } = scene;
  const results = rounds.flat().flatMap((result) => (result.isError ? [] : [resultText(result)]));
  const wanted = request.parallelCalls === false ? planned.slice(0, 1) : planned;
  const filled = wanted.map(({ tool, text }) => ({
    tool,
    ...fillArguments(tool.schema, { text, results: results.toReversed() }),
  }));
  const invented = filled.flatMap((each) =>
    each.invented.map((name) => `\`${name}\` = ${JSON.stringify(each.arguments[name])}`),
  );
  const calls = filled.map(({ tool, arguments: args }) => ({ name: tool.name, arguments: args }));
  const calling = words.calling(calls.map(({ name }) => name));
  return { ...say(report(scene), calling, invented.length === 0 ? "" : words.invented(invented)), calls };
}

/** The end of a turn: the results of the calls, as JSON if the request requires it. */
function finish(scene: Scene, remark = ""): Reply {
  const { request, output, words, message, rounds } = scene;
  const told = report(scene);
  const otherwise = rounds.length > 0 ? words.done : talk(scene);
  const isUnanswered = remark === "" && rounds.length === 0; // what is told happened before the message
  if (request.output === undefined)
    return isUnanswered || told + remark === "" ? say(told, otherwise) : say(told, remark);
  const answer = told.replaceAll(/^- |`/gmu, "") || otherwise;
  const text = [message.replace(/\{[^]*\}/u, ""), ...rounds.flat().map(resultText)].join("\n");
  const schema = output?.schema ?? outputSchema(request);
  const value = fillArguments(schema, { text, results: [], answer }).arguments;
  if (output === undefined || request.toolChoice === "none") return say(JSON.stringify(value));
  return { ...say(told, remark, words.finalAnswer), calls: [{ name: output.name, arguments: value }] };
}

/** The schema of the output. A request for any JSON object may describe it in its instructions, as the AI SDK does, or show an example. */
function outputSchema({ output = {}, system, messages }: ModelRequest): JsonObject {
  if (isRecord(output["properties"])) return output;
  for (const text of [...messages.map(textOf), ...system.map((part) => part.text)]) {
    const found = objectIn(text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1));
    if (isRecord(found["properties"])) return found;
    const example = Object.entries(found).map(([name, value]) => [name, { type: typeof value }] as const);
    if (example.length > 0) return { properties: Object.fromEntries(example), required: Object.keys(found) };
  }
  return { type: "object", properties: { answer: { type: "string" } }, required: ["answer"] };
}

/** The JSON object that a text is; an empty one if it is something else. */
function objectIn(text: string): JsonObject {
  const value = parseJson(text);
  return isRecord(value) ? value : {};
}

/** For a message that asks for no tool: who replies, and what it can do. */
function talk({ words, message, tools, request }: Scene): string {
  const lines = tools.slice(0, 12).map(({ name, description = "" }) => {
    const [first = ""] = description.trim().split(/(?<=[.。])\s|\n/u);
    return first === "" ? `- \`${name}\`` : `- \`${name}\`: ${shorten(first, 160)}`;
  });
  const gist = shorten(message, 80);
  const isGreeting = message === "" || /^(?:(?:hi|hello|hey)\b|你好|您好|嗨)/iu.test(message);
  const opening = isGreeting ? words.hello : tools.length === 0 ? words.echo(gist) : words.noToolFits(gist);
  const offer = tools.length === 0 ? words.noTools : words.tools(lines);
  return [opening, words.self(personaIn(request)), offer].join(words.separator);
}

function personaIn({ system, messages }: ModelRequest): string | undefined {
  const texts = [...system.map((part) => part.text), ...messages.filter(({ role }) => role === "system").map(textOf)];
  const text = texts.join("\n").slice(0, longestMessage);
  const english = /\bYou are (\p{Lu}[\p{L}-]+|an? [\w -]{3,40}?)(?=[.,;\n]| who | that |$)/u.exec(text)?.[1];
  return english ?? /你是\s*(?:一[个名位])?\s*([^，。,.\s]{2,16})/u.exec(text)?.[1];
}

function report({ unreported, words, output }: Scene): string {
  const settled = unreported.filter(({ name }) => name !== output?.name);
  const lines = settled.map((result) => {
    const { name = "" } = result;
    const text = resultText(result);
    const { reason, time = text, timezone } = objectIn(text);
    if (isRejected(result)) return words.rejected(name, textIn(reason));
    if (isUnknown(result)) return words.unknown(name, shorten(text, 600));
    if (result.isError) return words.failed(name, shorten(text, 600));
    const isTime = /time|clock|时间/iu.test(name) && /\d:\d\d|\d点/u.test(String(time));
    if (isTime) return words.time(String(time), textIn(timezone));
    return text === "" ? words.empty(name) : words.succeeded(name, shorten(text, 600));
  });
  const list = lines.length < 2 ? lines.join("") : lines.map((line) => `- ${line}`).join("\n");
  return settled.some(isRejected) ? [list, words.change].join(lines.length < 2 ? words.separator : "\n") : list;
}

/** The engine reports a rejection as JSON with `userRejected` and a reason. */
const isRejected = (result: Result): boolean => result.isError && resultText(result).includes('"userRejected":true');

/** True for a call that may have run: its outcome is not known. */
const isUnknown = ({ notice }: Result): boolean => notice !== undefined && unknownOutcomes.has(notice.cause);

const unknownOutcomes: ReadonlySet<Cause> = new Set([
  "interrupted",
  "stopped-running",
  "crashed",
  "timed-out",
  "running",
]);

const resultText = ({ parts }: Result): string =>
  parts
    .map((part) => (part.type === "text" ? part.text : part.type === "value" ? JSON.stringify(part.value) : ""))
    .join("\n")
    .trim();

const textIn = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

const shorten = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most)} …` : text);

function say(...paragraphs: readonly string[]): Reply {
  return { text: paragraphs.filter((text) => text !== "").join("\n\n"), calls: [] };
}
