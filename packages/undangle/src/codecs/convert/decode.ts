import { isRecord } from "#core";
import type { Cause, Edit, Language } from "#core";

import type { Format } from "../codec.ts";
import { listIn } from "../detect.ts";
import { codecs } from "../formats.ts";
import { guard } from "../guard.ts";
import { repairKeepingMedia } from "../repair.ts";
import { complete } from "./complete.ts";
import type { Conversation, Result } from "./conversation.ts";
import { converters } from "./converters.ts";
import { createLosses } from "./losses.ts";
import { renamesOf, undoRenames } from "./renames.ts";

/** A history without its format. */
export interface Decoded {
  /** Every call in it has an id and a result. */
  readonly conversation: Conversation;
  /** The results that were not there, and why: what they say is not meant to be read. */
  readonly unanswered: ReadonlyMap<Result, Unanswered>;
  /** The format that was given, or found. */
  readonly format: Format;
  /** What was wrong with the history otherwise, and was mended. */
  readonly edits: readonly Edit[];
}

export interface Unanswered {
  readonly cause: Cause;
  readonly reason?: string;
}

export interface DecodeOptions {
  /** Left out, it is detected. */
  readonly from?: Format | undefined;
  readonly language?: Language | undefined;
}

/** Reads a history in any format, whatever is wrong with it. */
export function decode(input: unknown, { from, language = "en" }: DecodeOptions = {}): Decoded {
  const causes: Unanswered[] = [];
  const source = repairKeepingMedia(input, {
    format: from,
    language,
    notice: ({ cause, reason }) => signOf(causes.push({ cause, ...(reason !== undefined && { reason }) }) - 1),
  });
  return guard(() => {
    const { format, output, edits } = source;
    const body = isRecord(output) ? output : undefined;
    const list = listIn(output, codecs[format]) ?? [];
    const read = converters[format].read({ list, body }, createLosses(format));
    const conversation = undoRenames(complete(read, language), renamesOf(edits));
    const unanswered = new Map<Result, Unanswered>();
    for (const message of conversation.messages) {
      for (const result of message.role === "tool" ? message.results : []) {
        const cause = causes[placeOf(result)];
        if (cause !== undefined) unanswered.set(result, cause);
      }
    }
    return { conversation, unanswered, format, edits };
  });
}

const signOf = (place: number): string => `\u27e6unanswered ${place}\u27e7`;

/** Which sign a result holds, wherever its format has put the text. */
function placeOf({ parts }: Result): number {
  const [, place = "-1"] = /\u27e6unanswered (\d+)\u27e7/u.exec(JSON.stringify(parts)) ?? [];
  return Number(place);
}
