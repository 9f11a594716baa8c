import type { AssistantMessage, Message, ToolMessage, UserMessage } from "#codecs";
import { isRecord } from "#core";
import type { Language } from "#core";

import type { ModelRequest } from "../model.ts";
import { outcomeOf } from "./outcome.ts";
import type { Outcome } from "./outcome.ts";
import { languageIn, personaOf } from "./persona.ts";

/** Where a conversation stands, as far as the next answer depends on it. */
export interface Situation {
  readonly language: Language;
  readonly who: string | undefined;
  /** The last message of the user; empty when there is none. */
  readonly said: string;
  /** How long it is in whole, when only its beginning is looked at. */
  readonly length: number;
  /** Pictures and files in it. */
  readonly media: number;
  /** What is to be done: the last message, or an earlier one to which it only says yes. */
  readonly wish: string;
  /** Turns with calls since then. */
  readonly rounds: readonly Round[];
  /** How many of them came after the last message. */
  readonly fresh: number;
  /** The last turn with calls before the last message, if it came after the message before that. */
  readonly previous: Round;
  /** Calls before the last message whose results nobody has told of. */
  readonly untold: readonly Settled[];
  /** Calls before the last message that were carried out, the newest first. */
  readonly done: readonly Settled[];
  /** Texts of results, the newest first. */
  readonly results: readonly string[];
  /** What comes last is an answer: nobody has asked for another one. */
  readonly isAnswered: boolean;
}

/** The calls of one turn. */
export type Round = readonly Settled[];

/** A call and what became of it. */
export interface Settled {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly outcome: Outcome;
}

const rememberedResults = 6;

/** Nobody asks for more in one message; what is longer is a text that is to be dealt with. */
const longestWish = 4000;

/** Reads a request. `output` is the name of the tool for the final answer: being reminded of it is no new wish. */
export function readSituation(request: ModelRequest, output: string | undefined): Situation {
  const isReminder = (message: Message): boolean =>
    message.role === "user" && output !== undefined && isReminderOf(output, textOf(message));
  const messages = request.messages.filter((message) => !isReminder(message));
  const at = messages.findLastIndex(({ role }) => role === "user");
  const start = at < 0 ? -1 : firstOfRow(messages, at);
  const asked = messages.slice(start, at + 1).filter((message) => message.role === "user");
  const whole = asked.map(textOf).join("\n").trim();
  const said = legible(whole);
  const { language, who } = voiceOf(request, said);
  const origin = originOf(messages, start, said);
  const fresh = roundsIn(messages.slice(at + 1));
  return {
    language,
    who,
    said,
    length: lengthOf(whole),
    media: asked.flatMap(({ parts }) => parts.filter(({ type }) => type === "media")).length,
    wish: origin.wish,
    rounds: [...(origin.isAgain ? [] : begun(roundsIn(messages.slice(origin.at + 1, at + 1)))), ...fresh],
    fresh: fresh.length,
    previous: previousRound(messages, start),
    untold: messages[start - 1]?.role === "tool" ? (roundsIn(messages.slice(0, start)).at(-1) ?? []) : [],
    done: doneIn(messages.slice(0, Math.max(start, 0))),
    results: resultsIn(messages),
    isAnswered: at >= 0 && messages.length === request.messages.length && messages.at(-1)?.role === "assistant",
  };
}

/** The words of the engine, and of nobody who only speaks of that tool. */
const isReminderOf = (output: string, text: string): boolean =>
  /^(?:Please give your final answer by calling|请调用)/u.test(text) &&
  text.includes(output) &&
  text.length < 80 + output.length;

function voiceOf(
  { system, messages, language: otherwise }: ModelRequest,
  said: string,
): Pick<Situation, "language" | "who"> {
  const persona = personaOf(system, messages);
  return { who: persona.who, language: persona.language ?? languageIn(said, otherwise) };
}

const notBegun: readonly string[] = ["superseded", "expired", "stopped", "limit", "pending", "awaiting"];

/** Without the calls that never began: whoever says yes to them wants them still. */
const begun = (rounds: readonly Round[]): readonly Round[] =>
  rounds
    .map((round) => round.filter(({ outcome }) => outcome.type !== "notice" || !notBegun.includes(outcome.cause)))
    .filter((round) => round.length > 0);

function previousRound(messages: readonly Message[], start: number): Round {
  const before = messages.slice(0, Math.max(start, 0));
  const asked = before.findLastIndex(({ role }) => role === "user");
  return roundsIn(before.slice(asked + 1)).at(-1) ?? [];
}

/** Messages of the user that nobody has answered belong together. */
function firstOfRow(messages: readonly Message[], at: number): number {
  let first = at;
  while (first > 0 && messages[first - 1]?.role === "user") first--;
  return first;
}

const consent =
  /^(?:yes|yeah|yep|ok(?:ay)?|sure|go (?:on|ahead)|continue|do it|please do|proceed|好的?|可以|继续|行|是的?|嗯|没问题)[\s,，]*(?:please|请|吧|啊)?[\s.!。！]*$/iu;
const again =
  /^(?:(?:please )?(?:try|do it) (?:it )?again|again|retry|once more|再试(?:一次|一下|试)?|重试|再来一次|重新来)(?: please|吧)?[\s.!。！]*$/iu;

/** The message that a "yes" or an "again" is about. */
function originOf(
  messages: readonly Message[],
  at: number,
  said: string,
): { readonly wish: string; readonly at: number; readonly isAgain: boolean } {
  const isAgain = again.test(said);
  if (!isAgain && !consent.test(said)) return { wish: said, at, isAgain: false };
  for (let before = at - 1; before >= 0; before--) {
    const message = messages[before];
    if (message?.role !== "user") continue;
    const text = legible(textOf(message));
    if (!again.test(text) && !consent.test(text)) return { wish: text, at: before, isAgain };
  }
  return { wish: said, at, isAgain: false };
}

/** In characters as people count them, with a gap as one. */
function lengthOf(text: string): number {
  let length = 0;
  for (const _ of text.replaceAll(/\s+/gu, " ")) length++;
  return length;
}

/** As much of a text as a wish is, without the desert in it. */
const legible = (text: string): string =>
  text
    .trim()
    .slice(0, longestWish)
    .replaceAll(/\s{8,}/gu, "\n");

const textOf = ({ parts }: UserMessage): string =>
  parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");

function roundsIn(messages: readonly Message[]): readonly Round[] {
  return messages.flatMap((message, i) => {
    const next = messages[i + 1];
    if (message.role !== "assistant" || next?.role !== "tool") return [];
    return [settledIn(message, next)];
  });
}

function settledIn({ parts }: AssistantMessage, { results }: ToolMessage): Round {
  const calls = parts.filter((part) => part.type === "call");
  return calls.flatMap(({ id, name, input }, i) => {
    const result = results.find((each) => each.id !== undefined && each.id === id) ?? results[i];
    if (result === undefined) return [];
    return [{ name, arguments: argumentsIn(input), outcome: outcomeOf(result, name) }];
  });
}

function argumentsIn(input: { readonly text: string } | { readonly value: unknown }): Settled["arguments"] {
  const value: unknown = "value" in input ? input.value : parsed(input.text);
  return isRecord(value) ? value : {};
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // such a call has not run
  }
}

/** What was carried out, the newest first, as far back as anybody would speak of it. */
function doneIn(messages: readonly Message[]): readonly Settled[] {
  const done: Settled[] = [];
  for (let i = messages.length - 1; i > 0 && done.length < rememberedResults; i--) {
    const [message, before] = [messages[i], messages[i - 1]];
    if (message?.role !== "tool" || before?.role !== "assistant") continue;
    done.push(...settledIn(before, message).filter(({ outcome }) => outcome.type === "succeeded"));
  }
  return done;
}

function resultsIn(messages: readonly Message[]): readonly string[] {
  return doneIn(messages).flatMap(({ outcome }) => (outcome.type === "succeeded" ? [outcome.text] : []));
}
