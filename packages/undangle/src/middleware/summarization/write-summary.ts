import { createHash } from "node:crypto";

import { cutMessages } from "#codecs";
import type { Media, Message } from "#codecs";
import { errorText, UndangleError } from "#core";
import type { FileBackend } from "#files";

import { fileNameOf, openFiles, reasonOf } from "../context-size/thread-file.ts";
import type { RequestCounter } from "../context-size/request-counter.ts";
import type { SummarySettings } from "./summarization-options.ts";
import type { Boundary, HistoryFile } from "./summary-state.ts";
import { summaryTexts } from "./summary-texts.ts";
import type { SummaryContext, SummaryView } from "./summary-view.ts";
import { markdownOf, mediaIn, quoted, quotedLines } from "./transcript.ts";
import type { MediaPlaces } from "./transcript.ts";

export interface Writing {
  readonly settings: SummarySettings;
  readonly counter: RequestCounter;
  readonly context: SummaryContext;
}

/** The messages that a boundary replaces. */
export interface Planned {
  readonly removed: readonly Message[];
  readonly after: Boundary["after"];
  readonly user: Boundary["user"];
}

/** Chooses what to replace. Undefined if everything must be kept. */
export function planSummary(
  { rest, boundary }: SummaryView,
  { settings, counter, context }: Writing,
): Planned | undefined {
  const { cut, removed } = cutMessages(rest, { keep: settings.keep, countTokens: counter.message });
  if (cut === undefined || removed.length === 0) return undefined;
  const last = rest.slice(0, cut.from).findLast((message) => context.entryOf(message) !== undefined);
  const found = last === undefined ? undefined : context.entryOf(last);
  const earlier = boundary?.after;
  const after = earlier !== undefined && (found?.number ?? -1) < earlier.number ? earlier : found;
  if (after === undefined) return undefined;
  const user = cut.user === undefined ? undefined : rest[cut.user];
  return { removed, after, user: user === undefined ? undefined : context.entryOf(user) };
}

/** Asks for a summary of what is replaced, and stores the full text. Throws if there is no summary. */
export async function writeSummary(planned: Planned, view: SummaryView, writing: Writing): Promise<Boundary> {
  const media = await storeMedia(planned.removed, writing);
  const summary = await askForSummary(planned, { view, writing, media });
  return boundaryOf(planned, { view, writing, media, summary });
}

/** Leaves older messages out without a summary, and stores their full text. */
export async function trimWithoutSummary(planned: Planned, view: SummaryView, writing: Writing): Promise<Boundary> {
  const media = await storeMedia(planned.removed, writing);
  return boundaryOf(planned, { view, writing, media, summary: view.boundary?.summary });
}

interface Found {
  readonly view: SummaryView;
  readonly writing: Writing;
  readonly media: MediaPlaces;
}

async function boundaryOf(
  { removed, after, user }: Planned,
  { view, writing, media, summary }: Found & { readonly summary: string | undefined },
): Promise<Boundary> {
  const files = await storeHistory(removed, { view, writing, media });
  const notes = writing.context.afterSummary();
  return { after, ...(user !== undefined && { user }), ...(summary !== undefined && { summary }), files, notes };
}

async function askForSummary({ removed }: Planned, { view, writing, media }: Found): Promise<string> {
  const { settings, context } = writing;
  const texts = summaryTexts[context.language];
  const earlier = view.boundary?.summary;
  const lines = quotedLines(removed, { texts, media });
  const first = earlier === undefined ? "" : `${quoted({ role: "summary", text: earlier })}\n`;
  const parts = [
    texts.quoted({ hasSummary: earlier !== undefined }),
    `<conversation>\n${first}${lines}\n</conversation>`,
    texts.task,
  ];
  const turn = await context.complete(
    {
      system: [{ type: "text", path: "", text: settings.prompt ?? texts.prompt }],
      messages: [
        { role: "user", path: "", name: undefined, parts: parts.map((text) => ({ type: "text", path: "", text })) },
      ],
    },
    { purpose: "summary", model: settings.model },
  );
  if (turn.calls.length > 0) throw new Error(texts.toolInSummary);
  const text = turn.text.trim();
  if (text === "") throw new Error(texts.emptySummary);
  return text.toWellFormed();
}

/** Why there is no summary. */
export const failureOf = (error: unknown, { language }: SummaryContext): string =>
  error instanceof UndangleError ? errorText(error, language) : error instanceof Error ? error.message : String(error);

/** Stores the bytes of media, and gives the path of each. Media that cannot be stored has none. */
async function storeMedia(messages: readonly Message[], { settings, context }: Writing): Promise<MediaPlaces> {
  const places = new Map<Media, string>();
  const texts = summaryTexts[context.language];
  let backend: FileBackend | undefined;
  for (const media of mediaIn(messages)) {
    const data = bytesOf(media);
    if (data === undefined) continue;
    const hash = createHash("sha256").update(data).digest("hex").slice(0, 16);
    const path = `${settings.directory}/media/${hash}.${endingOf(media)}`;
    try {
      backend ??= await openFiles(settings.files, context);
      if ((await backend.stat(path)) === undefined) await backend.write(path, data);
      places.set(media, path);
    } catch (error) {
      context.warn(texts.notStored(path, reasonOf(error, context)));
    }
  }
  return places;
}

function bytesOf({ source }: Media): Uint8Array | undefined {
  if (source.type === "bytes") return new Uint8Array(Buffer.from(source.data, "base64"));
  const [, data] = source.type === "url" ? (/^data:[^,]*;base64,(.*)$/su.exec(source.url) ?? []) : [];
  return data === undefined ? undefined : new Uint8Array(Buffer.from(data, "base64"));
}

const endingOf = ({ mediaType, kind }: Media): string => /^\w+\/(\w{1,10})/u.exec(mediaType ?? "")?.[1] ?? kind;

/** Adds a section with the full text to the file of the thread. If that fails, the thread still has everything. */
async function storeHistory(
  messages: readonly Message[],
  { view, writing: { settings, context }, media }: Found,
): Promise<readonly HistoryFile[]> {
  const texts = summaryTexts[context.language];
  const path = `${settings.directory}/${fileNameOf(context.threadId)}.md`;
  const earlier = view.boundary?.files ?? [];
  const before = earlier.find((file) => file.path === path)?.bytes ?? 0;
  const section = `${texts.section(new Date(settings.now()).toISOString())}\n\n${markdownOf(messages, { texts, media })}\n`;
  try {
    const backend = await openFiles(settings.files, context);
    const stored = (await backend.stat(path)) === undefined ? new Uint8Array() : await backend.read(path);
    const data = Buffer.concat([stored.subarray(0, before), Buffer.from(section, "utf8")]);
    await backend.write(path, new Uint8Array(data));
    return [...earlier.filter((file) => file.path !== path), { path, bytes: data.length }];
  } catch (error) {
    context.warn(texts.notStored(path, reasonOf(error, context)));
    return earlier;
  }
}
