import { isRecord } from "#core";
import type { JsonObject } from "#core";

import { eventOf } from "../../stream/response-writer.ts";
import type {
  RequestFacts,
  ResponseWriter,
  ClientTurn,
  FrameContent,
  Frame,
  StreamWriter,
} from "../../stream/response-writer.ts";
import { hasHalfNumbers, isLangChain } from "../../stream/partial-numbers.ts";
import { plainCall, responseBody } from "./write-body.ts";
import { isIntroduced, isPicky } from "./add-missing-fields.ts";
import { helperOf } from "./stream-helper.ts";
import { createDraft } from "./draft.ts";
import { copyOf, fits, emptyView, show } from "./client-view.ts";
import type { ClientView } from "./client-view.ts";
import { endOf, isCallType, isOfCall, textIn } from "../stream/frames.ts";

/** Writes responses in OpenAI's form. */
export const responsesWriter: ResponseWriter = {
  stream: createStreamWriter,
  body: {
    ...responseBody,
    stream(turns, response, facts) {
      const begun = { ...response, status: "in_progress", output: [] };
      const sent = [
        { value: { type: "response.created", response: begun } },
        { value: { type: "response.completed", response } },
      ];
      return createStreamWriter(facts).writeTurns(turns, sent, {});
    },
  },
};

function createStreamWriter(facts?: RequestFacts): StreamWriter {
  const model = facts?.request?.["model"];
  const isPickyClient = isPicky(facts);
  const helper = helperOf(facts);
  let view = emptyView();
  let ahead: ClientView | undefined = view; // including held frames; undefined if the client would fail on them
  const places = new Map<unknown, number>(); // the client's index of items that have another index on the server
  let isRenumbered = false; // events were added or removed, so later sequence numbers may be wrong

  const isInPlace = ({ output_index: index, sequence_number: number }: JsonObject, { last }: ClientView): boolean =>
    (places.get(index) ?? index) === index &&
    (!isRenumbered || last === undefined || (typeof number === "number" && number > last));

  const isFit = (value: JsonObject, client: ClientView): boolean =>
    isInPlace(value, client) &&
    fits(value, client) &&
    (!isPickyClient || isIntroduced(value)) &&
    helper?.tripsOver(value, client) !== true;

  return {
    isValid: ({ value }, reading) => isFit(value, view) && saysWhatWasRead(value, reading),
    emitted({ value, isComment }) {
      if (isComment !== true) show(value, view);
      ahead = view;
    },
    held({ value }) {
      if (ahead === view) ahead = copyOf(view);
      if (ahead === undefined) return;
      if (isFit(value, ahead)) show(value, ahead);
      else ahead = undefined;
    },
    released() {
      if (ahead === undefined || ahead === view) return;
      view = { ...ahead, items: ahead.items.commit() };
      ahead = view;
    },
    clientTurns: () => ahead && plainTurns(ahead),
    isRejected: () => ahead === undefined,
    live: {
      begin(call) {
        isRenumbered = true;
        const draft = createDraft({ view, places, model });
        draft.begin(call);
        return draft.frames;
      },
      more({ id }, text) {
        const draft = createDraft({ view, places, model });
        draft.more(id, text);
        return draft.frames;
      },
      isSequential: false,
      hasSplitNames: false,
    },
    endsCall: ({ value: { type, item } }) =>
      type === "response.output_item.done" && isRecord(item) && isCallType(item["type"]),
    hasIndexedParts: true,
    misreads: isLangChain(facts) ? hasHalfNumbers : undefined,
    writeText(readTexts, template) {
      if (readTexts.length === 0 && helper?.tripsOver(template, view) === true)
        return [{ value: template, isComment: true }];
      isRenumbered = true;
      const draft = createDraft({ view, places, model });
      if (isOfCall(template) || endOf(template) !== undefined) draft.speak(readTexts);
      else draft.repair(template, readTexts);
      return draft.frames;
    },
    writeRemainder(turn) {
      const draft = createDraft({ view, places, model });
      draft.speakRest(turn);
      return draft.frames;
    },
    writeTurns([turn], waiting) {
      const draft = createDraft({ view, places, model });
      const left = new Map(turn?.calls.map((call) => [call.id, call]));
      let ending: JsonObject = {};
      for (const { value } of waiting) {
        const { item, response } = value;
        if (endOf(value) !== undefined) ending = isRecord(response) ? response : ending;
        else if (helper?.tripsOver(value, view) === true) continue;
        else if (!isOfCall(value)) draft.repair(value);
        else if (isRecord(item)) {
          const call = left.get(String(item["call_id"]));
          if (call !== undefined && left.delete(call.id)) draft.call(call, item);
        }
      }
      draft.adopt(ending["output"]);
      if (turn !== undefined) draft.speakRest(turn);
      for (const call of left.values()) draft.call(call, {});
      draft.end(ending, turn?.finish ?? "stop");
      return draft.frames;
    },
    rejectsUnknown: helper !== undefined,
    ...(helper && { toIgnorable: (frame: Frame) => helper.harmless(frame, view) }),
    serialize: eventOf,
    endMarker: "",
  };
}

/**
 * The turn as the client reads it. Undefined while a call is open, because more arguments may arrive even after valid
 * JSON.
 */
function plainTurns({ items, isEnded }: ClientView): readonly ClientTurn[] | undefined {
  const called = [...items].filter(({ type }) => isCallType(type));
  if (!called.every(({ isDone }) => isDone)) return undefined;
  const calls = called.map(({ wire }) => plainCall(wire));
  return calls.every((call) => call !== undefined) ? [{ calls, isEnded }] : undefined;
}

/** True if an event contains exactly the decoded content. */
function saysWhatWasRead(value: JsonObject, { texts: readTexts }: FrameContent): boolean {
  const own = textIn(value);
  if (own === undefined) return readTexts.length === 0;
  return readTexts.length === 1 && readTexts[0]?.type === own.type && readTexts[0].text === own.text;
}
