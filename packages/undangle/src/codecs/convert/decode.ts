import { isRecord, renderNotice } from "#core";
import type { Cause, Edit, Language, UnansweredCall } from "#core";

import type { Format } from "../codec.ts";
import { listIn } from "../detect.ts";
import { codecs } from "../formats.ts";
import { guard } from "../locate.ts";
import { jsonList } from "../plain-list.ts";
import { repairKeepingMedia } from "../repair.ts";
import { complete } from "./complete.ts";
import type { Call, Conversation, Message, Result } from "./conversation.ts";
import { converters } from "./converters.ts";
import { createLosses } from "./losses.ts";
import { pairTurns } from "./pair-turns.ts";
import { renamesOf, undoRenames } from "./renames.ts";
import { placeUnknownRoles } from "./unknown-roles.ts";

/** A history independent of its format. */
export interface Decoded {
  /** The conversation. Every call has an id and a result. */
  readonly conversation: Conversation;
  /** The result of each call, as `repair` pairs them. */
  readonly results: ReadonlyMap<Call, Result>;
  /** The inserted results, and why they were missing. Each is a notice. */
  readonly unanswered: ReadonlyMap<Result, Unanswered>;
  /** The given or detected format. */
  readonly format: Format;
  /** Other problems of the history that were repaired. */
  readonly edits: readonly Edit[];
}

export interface Unanswered {
  readonly cause: Cause;
  readonly reason?: string;
}

export interface DecodeOptions {
  /** Detected by default. */
  readonly from?: Format | undefined;
  readonly language?: Language | undefined;
}

/** Reads a history in any format, and repairs it. */
export function decode(input: unknown, { from, language = "en" }: DecodeOptions = {}): Decoded {
  const causes = new Map<string, Unanswered>(); // by the text of the notice
  const notice = (call: UnansweredCall): string => {
    const { cause, reason } = call;
    const text = renderNotice(call, cause, { language });
    causes.set(text, { cause, ...(reason !== undefined && { reason }) });
    return text;
  };
  const source = repairKeepingMedia(input, { format: from, language, notice });
  return guard(() => {
    const { format, output, edits } = source;
    const body = isRecord(output) ? output : undefined;
    const list = jsonList(listIn(output, codecs[format]) ?? []);
    const converter = converters[format];
    const placed = placeUnknownRoles(converter.read({ list, body }, createLosses(format)), list, converter.listKey);
    const read = placed.conversation;
    const places = noticePlaces(read.messages, causes); // later steps can change the name in a notice
    const whole = undoRenames(complete(read, language), renamesOf(edits));
    const { messages, results, edits: more } = pairTurns(whole.messages, { language, notice });
    const unanswered = new Map<Result, Unanswered>();
    for (const result of results.values()) {
      const { rejection } = result;
      const cause =
        rejection === undefined ? (places.get(result.path) ?? causeOf(result, causes)) : rejected(rejection);
      if (cause !== undefined) unanswered.set(result, cause);
    }
    const conversation = { ...whole, messages };
    return {
      conversation,
      results,
      unanswered,
      format,
      edits: [...edits, ...placed.edits, ...more.map(withoutPlaces)],
    };
  });
}

/** The causes of inserted results, by path. */
function noticePlaces(
  messages: readonly Message[],
  causes: ReadonlyMap<string, Unanswered>,
): ReadonlyMap<string, Unanswered> {
  const places = new Map<string, Unanswered>();
  for (const message of causes.size === 0 ? [] : messages) {
    for (const result of message.role === "tool" ? message.results : []) {
      const cause = causeOf(result, causes);
      if (cause !== undefined) places.set(result.path, cause);
    }
  }
  return places;
}

function causeOf({ parts }: Result, causes: ReadonlyMap<string, Unanswered>): Unanswered | undefined {
  const [only, ...others] = parts;
  return only?.type === "text" && others.length === 0 ? causes.get(only.text) : undefined;
}

const rejected = ({ reason }: NonNullable<Result["rejection"]>): Unanswered => ({
  cause: "rejected",
  ...(reason !== undefined && { reason }),
});

/** Removes the paths of an edit, because they refer to the converted messages and not to the history. Its values are in their form. */
function withoutPlaces({ from: _from, to: _to, ...edit }: Edit): Edit {
  return edit;
}
