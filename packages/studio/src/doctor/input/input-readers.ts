import { detect, explain } from "undangle";
import { detectStream, findJsonError } from "undangle/report";

import { isRecord } from "../../parts/json-record.ts";
import { readCapture, streamsIn, withoutTransfer } from "./captured-streams.ts";
import { findValues, sourceFaults } from "./find-values.ts";
import type { Found, FoundHistory } from "./found.ts";
import { joinResponses } from "./join-responses.ts";
import type { Response } from "./join-responses.ts";
import { placeOf } from "./json-place.ts";
import { parseJson } from "./parse-json.ts";
import { isBody, isErrorBody, searchValue } from "./search-value.ts";
import type { Origin } from "./search-value.ts";
import { parseSource } from "./parse-source.ts";
import { agentOfSession } from "./session-files.ts";
import { sentByCurl } from "./shell-command.ts";
import { withoutEscapes, withoutFence, withoutMargin } from "./wrapped-text.ts";

/** Reads one kind of input. A reader that finds nothing leaves the input to the next one. */
interface InputReader {
  readonly name: string;
  /** A cheap look at the text. */
  readonly recognises: (text: string) => boolean;
  readonly read: (text: string) => readonly Found[];
}

/** The first reader that recognises an input and finds something in it reads it. */
const inputReaders: readonly InputReader[] = [
  { name: "blank", recognises: (text) => text.trim() === "", read: () => [{ type: "unreadable", reason: "blank" }] },
  { name: "exported", recognises: (text) => /^\s*\{\s*"undangle":/u.test(text), read: () => [{ type: "exported" }] },
  { name: "session", recognises: startsLikeJson, read: readSession },
  { name: "stream", recognises: (text) => /(?:data|event):/u.test(text), read: readStream },
  { name: "json", recognises: startsLikeJson, read: readJson },
  { name: "json-text", recognises: (text) => /^\s*"/u.test(text), read: readText },
  { name: "json-lines", recognises: startsLikeJson, read: readLines },
  { name: "curl", recognises: (text) => /\bcurl\b/u.test(text), read: readCurl },
  { name: "source", recognises: isMeantAsJson, read: readSource },
  { name: "fragment", recognises: (text) => /^\s*(?:\{|["']?\w+["']?\s*:\s*\[)/u.test(text), read: readFragment },
  { name: "margin", recognises: hasLines, read: (text) => readHidden(withoutMargin(text)) },
  { name: "broken-json", recognises: isMeantAsJson, read: readBroken },
  { name: "log", recognises: hasValues, read: readLog },
  { name: "escaped", recognises: hasValues, read: (text) => readHidden(withoutEscapes(text)) },
  { name: "error-text", recognises: isKnownError, read: (text) => [{ type: "error-text", text }] },
  { name: "broken-value", recognises: hasValues, read: readBrokenValue },
  { name: "text", recognises: () => true, read: (text) => [{ type: "error-text", text }] },
];

/** Finds what can be examined in an input. Never empty. */
export function readInput(given: string): { readonly reader: string; readonly found: readonly Found[] } {
  const text = withoutFence(given.replace(/^\uFEFF/u, ""));
  for (const { name, recognises, read } of inputReaders) {
    const found = recognises(text) ? read(text) : [];
    if (found.length > 0) return { reader: name, found };
  }
  throw new Error("No reader takes the input."); // the last one takes any
}

function startsLikeJson(text: string): boolean {
  return /^\s*[[{]/u.test(text);
}

/** Unlike a line of a log that starts with a bracket. */
function isMeantAsJson(text: string): boolean {
  return /^\s*(?:\{\s*(?:["'}]|\w+\s*:|\/[/*])|\[\s*(?:[[{"']|\w+\())/u.test(text);
}

function hasValues(text: string): boolean {
  return /[[{]/u.test(text);
}

function hasLines(text: string): boolean {
  return text.includes("\n");
}

function isKnownError(text: string): boolean {
  return explain(text).some(({ confidence }) => confidence !== "nearest");
}

function readSession(text: string): readonly Found[] {
  const agent = agentOfSession(text);
  return agent === undefined ? [] : [{ type: "session", agent }];
}

/** Server-sent events, and the requests between them. */
function readStream(text: string): readonly Found[] {
  const capture = readCapture(text);
  if (capture === undefined) return [];
  const requests = hasValues(capture.rest) ? readLog(capture.rest).filter(({ type }) => type !== "stream") : [];
  const plain = requests.length === 0 ? withoutTransfer(text) : "";
  const streams = streamsIn(detectStream(plain) === undefined ? capture.events : plain);
  return streams.length === 0 ? [] : [...streams, ...requests];
}

function readJson(text: string): readonly Found[] {
  const root = parseJson(text);
  return root === undefined ? [] : examined(root, { text }, () => [{ type: "no-messages", value: root }]);
}

/** What a value contains: histories and responses, or an error. */
function examined(
  value: unknown,
  origin: Origin & { readonly text: string },
  otherwise: () => readonly Found[],
): readonly Found[] {
  const { histories, responses } = searchValue(value, origin);
  const found = [...histories, ...joinResponses(responses)];
  if (found.length > 0) return found;
  if (isErrorBody(value) || isKnownError(origin.text)) return [{ type: "error-text", text: origin.text }];
  return otherwise();
}

/** A text as JSON. */
function readText(text: string): readonly Found[] {
  const root = parseJson(text);
  return typeof root === "string" ? readHidden(root) : [];
}

/** One value per line: bodies, responses, or the messages of one history. */
function readLines(text: string): readonly Found[] {
  const values: { readonly line: number; readonly text: string; readonly value: unknown }[] = [];
  const broken: Found[] = [];
  for (const [i, each] of text.split("\n").entries()) {
    if (each.trim() === "" || each.trim() === "[DONE]") continue;
    const value = parseJson(each);
    if (value !== undefined) values.push({ line: i + 1, text: each, value });
    else if (startsLikeJson(each) && values.length > 0) broken.push(...brokenLine(each, i + 1));
    else return [];
  }
  const list = values.map(({ value }) => value);
  if (list.every(isMessage) && detect(list) !== undefined)
    return broken.length > 0
      ? broken
      : [{ type: "history", path: "", value: list, written: { form: "json-lines", text } }];
  const histories: FoundHistory[] = [];
  const responses: Response[] = [];
  for (const { line, text: each, value } of values) {
    const contents = searchValue(value, { text: each });
    histories.push(...contents.histories.map((one) => ({ ...one, line })));
    responses.push(...contents.responses.map((one) => ({ ...one, line })));
  }
  const isStream = histories.length === 0 && responses.some(({ path, isWhole }) => path === "" && !isWhole);
  if (isStream) return readChunks(text);
  const found = [...histories, ...joinResponses(responses)];
  return found.length === 0 ? [] : [...found, ...broken];
}

/** The fault of one line. */
function brokenLine(text: string, line: number): readonly Found[] {
  const error = findJsonError(text);
  return error === undefined ? [] : [{ type: "not-json", ...placeOf(text, error), line }];
}

/** The chunks of a stream, one per line, with the errors between them. */
function readChunks(text: string): readonly Found[] {
  const lines = detectStream(text) === "ollama" ? text : text.replaceAll(/^(?=[[{])/gmu, "\ndata: ");
  return streamsIn(lines);
}

const isMessage = (value: unknown): boolean =>
  isRecord(value) && typeof value["role"] === "string" && !("stop_reason" in value);

function readCurl(text: string): readonly Found[] {
  return sentByCurl(text).flatMap(({ url, body }) =>
    readInput(body).found.map((one) => (one.type === "history" && url !== undefined ? { ...one, url } : one)),
  );
}

/** A value as Python or JavaScript write it. */
function readSource(text: string): readonly Found[] {
  const error = findJsonError(text);
  if (error === undefined || !sourceFaults.has(error.fault)) return [];
  const value = parseSource(text.replace(/;\s*$/u, ""));
  if (value === undefined) return [];
  const fault = placeOf(text, error);
  const { histories, responses } = searchValue(value);
  const found = [...histories.map((one) => ({ ...one, fault })), ...joinResponses(responses)];
  return found.length === 0 && isErrorBody(value) ? [{ type: "error-text", text }] : found;
}

/** Messages without the brackets around them, or the member of a body. */
function readFragment(text: string): readonly Found[] {
  const fault = findJsonError(text)?.fault;
  if (fault === undefined || fault === "cut-off") return [];
  const bare = text.trim().replace(/[,;]$/u, "");
  for (const whole of [`[${bare}]`, `{${bare}}`]) {
    const root = parseJson(whole); // in brackets, so it is not null
    const { histories } = searchValue(root ?? parseSource(whole), root === undefined ? {} : { text: whole });
    const history = histories.find(({ path }) => path === "" || path === "messages");
    if (history !== undefined) return [history];
  }
  return [];
}

/** What is in a text that was wrapped in another one. Undefined if it was not. */
function readHidden(text: string | undefined): readonly Found[] {
  if (text === undefined) return [];
  const { found } = readInput(text);
  return found.some(({ type }) => type === "history" || type === "stream" || type === "not-json") ? found : [];
}

/** Values with other text around them. The text beside them may report the error of the provider. */
function readLog(text: string): readonly Found[] {
  const histories: FoundHistory[] = [];
  const responses: Response[] = [];
  const rest: string[] = [];
  let [end, line, counted] = [0, 1, 0];
  for (const { start, end: after, value, error, isPart } of findValues(text)) {
    const url = urlBefore(text, start);
    const contents = searchValue(value, { ...(error === undefined && { text: text.slice(start, after) }), url });
    const whole = contents.histories.filter(({ path }) => path !== "" || !isPart || isBody(value));
    if (whole.length + contents.responses.length === 0) continue;
    rest.push(text.slice(end, start));
    line += breaksIn(text, counted, start);
    counted = start;
    end = after;
    const fault = error === undefined ? {} : { fault: placeOf(text, error) };
    histories.push(...whole.map((one) => ({ ...one, line, ...fault })));
    responses.push(...contents.responses.map((one) => ({ ...one, line })));
  }
  const found = [...histories, ...joinResponses(responses)];
  if (found.length === 0) return [];
  const around = [...rest, text.slice(end)].join("\n").trim();
  return around !== "" && isKnownError(around) ? [...found, { type: "error-text", text: around }] : found;
}

/** The last address before a place. */
function urlBefore(text: string, start: number): string | undefined {
  const before = text.slice(Math.max(0, start - 1000), start);
  const { url, host } =
    [...before.matchAll(/(?<url>https?:\/\/[^\s"'`<>)\]}]+)|^[> ]*host: (?<host>[\w.-]+)/gimu)].at(-1)?.groups ?? {};
  return host === undefined ? url : `https://${host}/`;
}

function breaksIn(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = text.indexOf("\n", from); at !== -1 && at < to; at = text.indexOf("\n", at + 1)) count++;
  return count;
}

/** A value with a fault. Parts of it are not examined, because they would look like a shorter history. */
function readBroken(text: string): readonly Found[] {
  const error = findJsonError(text);
  if (error === undefined || error.fault === "extra") return []; // a whole value with other text after it
  if (isKnownError(text)) return [{ type: "error-text", text }]; // an error as Python prints it
  return [{ type: "not-json", ...placeOf(text, shortenedAt(text) ?? error) }];
}

/** Where a console has left something out. It is the fault of a value that is not JSON anyway. */
function shortenedAt(text: string): { readonly offset: number; readonly fault: "shortened" } | undefined {
  const offset = text.search(/(?<=\[)(?:Array|Object|Circular \*\d+)\]|\.\.\. \d+ more items?|<[\w.]+ object at 0x/u);
  return offset === -1 ? undefined : { offset, fault: "shortened" };
}

/** The longest value that is not whole, such as a body that a log has cut off. */
function readBrokenValue(text: string): readonly Found[] {
  const start = text.search(/[[{]\s*["'{[]/u);
  const error = start === -1 ? undefined : findJsonError(text.slice(start));
  if (error === undefined || error.offset < leastBroken) return [];
  return [{ type: "not-json", ...placeOf(text, { ...error, offset: start + error.offset }) }];
}

/** A shorter value is taken for text in brackets. */
const leastBroken = 20;
