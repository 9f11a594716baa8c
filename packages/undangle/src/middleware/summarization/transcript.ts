import type { CallPart, Media, Message, ResultPart } from "#codecs";

import type { SummaryTexts } from "./summary-texts.ts";

/** Where media is stored; undefined if it is not. */
export type MediaPlaces = ReadonlyMap<Media, string>;

export interface Transcribing {
  readonly texts: SummaryTexts;
  readonly media: MediaPlaces;
}

/** Messages as Markdown, with their full text, for the history file. */
export function markdownOf(messages: readonly Message[], transcribing: Transcribing): string {
  return messages
    .flatMap((message) => passagesOf(message, transcribing))
    .map(({ title, text }) => `### ${title}\n\n${text}\n`)
    .join("\n");
}

interface Passage {
  readonly title: string;
  readonly text: string;
}

function passagesOf(message: Message, { texts, media }: Transcribing): readonly Passage[] {
  const textOf = (part: ResultPart): string => plainText(part, { texts, media });
  if (message.role === "tool")
    return message.results.map(({ name = "", isError, parts }) => ({
      title: texts.result(name, isError),
      text: parts.map(textOf).join("\n\n"),
    }));
  const title = texts.roles[message.role];
  if (message.role !== "assistant") return [{ title, text: message.parts.map(textOf).join("\n\n") }];
  return message.parts.flatMap((part): readonly Passage[] => {
    if (part.type === "call") return [{ title: texts.call(part.name), text: inputOf(part) }];
    if (part.type !== "reasoning") return [{ title, text: textOf(part) }];
    return part.text === "" ? [] : [{ title: texts.reasoning, text: part.text }];
  });
}

/** The most characters of one text in a request for a summary. Of longer ones, the beginning and the end are kept. */
const maxLength = 8_000;

/**
 * Messages as lines of JSON, for a request. Inside a line nothing can look like another message, and nothing ends the
 * element that quotes them.
 */
export function quotedLines(messages: readonly Message[], transcribing: Transcribing): string {
  const { texts } = transcribing;
  const short = (text: string): string => shortened(text, texts);
  const lines = messages.flatMap((message): readonly object[] => {
    if (message.role === "tool")
      return message.results.map(({ name, isError, parts }) => ({
        role: "tool",
        name,
        ...(isError && { error: true }),
        text: short(parts.map((part) => plainText(part, transcribing)).join("\n")),
      }));
    const text = message.parts
      .flatMap((part) => (part.type === "call" || part.type === "reasoning" ? [] : [plainText(part, transcribing)]))
      .join("\n");
    const calls =
      message.role === "assistant"
        ? message.parts.flatMap((part) =>
            part.type === "call" ? [{ name: part.name, arguments: short(inputOf(part)) }] : [],
          )
        : [];
    if (text === "" && calls.length === 0) return [];
    return [{ role: message.role, ...(text !== "" && { text: short(text) }), ...(calls.length > 0 && { calls }) }];
  });
  return lines.map(quoted).join("\n");
}

/** A value as JSON that does not contain `</`. */
export const quoted = (value: unknown): string => JSON.stringify(value).replaceAll("</", () => "<\\/");

function shortened(text: string, texts: SummaryTexts): string {
  if (text.length <= maxLength) return text;
  const half = maxLength / 2;
  const [first, last] = [text.slice(0, half).toWellFormed(), text.slice(text.length - half).toWellFormed()];
  return `${first}\n${texts.omitted(text.length - maxLength)}\n${last}`;
}

function plainText(part: ResultPart, { texts, media }: Transcribing): string {
  if (part.type === "text") return part.text;
  if (part.type === "value") return JSON.stringify(part.value) ?? "";
  return texts.media(part.kind, media.get(part) ?? placeOf(part));
}

function placeOf({ source }: Media): string | undefined {
  if (source.type === "url") return source.url.startsWith("data:") ? undefined : source.url;
  return source.type === "file" ? source.id : undefined;
}

const inputOf = ({ input }: CallPart): string => ("text" in input ? input.text : (JSON.stringify(input.value) ?? ""));

/** All media with bytes in messages. */
export function mediaIn(messages: readonly Message[]): readonly Media[] {
  return messages
    .flatMap((message): readonly { readonly type: string }[] =>
      message.role === "tool" ? message.results.flatMap(({ parts }) => parts) : message.parts,
    )
    .filter((part): part is Media => part.type === "media");
}
