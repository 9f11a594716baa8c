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
import { copyOf, fits, nothingShown, show } from "./client-view.ts";
import type { Shown } from "./client-view.ts";
import { endOf, isCallType, isOfCall, saidBy } from "../stream/frames.ts";

/** Writes responses in OpenAI's form. */
export const responsesCleaner: ResponseWriter = {
  stream: createStreamCleaner,
  body: {
    ...responseBody,
    stream(turns, response, asked) {
      const begun = { ...response, status: "in_progress", output: [] };
      const told = [
        { value: { type: "response.created", response: begun } },
        { value: { type: "response.completed", response } },
      ];
      return createStreamCleaner(asked).writeTurns(turns, told, {});
    },
  },
};

function createStreamCleaner(asked?: RequestFacts): StreamWriter {
  const model = asked?.request?.["model"];
  const isPickyClient = isPicky(asked);
  const helper = helperOf(asked);
  let shown = nothingShown();
  let ahead: Shown | undefined = shown; // including held frames; undefined if the client would fail on them
  const places = new Map<unknown, number>(); // the client's index of items that have another index on the server
  let isRenumbered = false; // events were added or removed, so later sequence numbers may be wrong

  const isInPlace = ({ output_index: index, sequence_number: number }: JsonObject, { last }: Shown): boolean =>
    (places.get(index) ?? index) === index &&
    (!isRenumbered || last === undefined || (typeof number === "number" && number > last));

  const isFit = (value: JsonObject, client: Shown): boolean =>
    isInPlace(value, client) &&
    fits(value, client) &&
    (!isPickyClient || isIntroduced(value)) &&
    helper?.tripsOver(value, client) !== true;

  return {
    isValid: ({ value }, reading) => isFit(value, shown) && saysWhatWasRead(value, reading),
    emitted({ value, isComment }) {
      if (isComment !== true) show(value, shown);
      ahead = shown;
    },
    held({ value }) {
      if (ahead === shown) ahead = copyOf(shown);
      if (ahead === undefined) return;
      if (isFit(value, ahead)) show(value, ahead);
      else ahead = undefined;
    },
    released() {
      if (ahead === undefined || ahead === shown) return;
      shown = { ...ahead, items: ahead.items.commit() };
      ahead = shown;
    },
    clientTurns: () => ahead && plainTurns(ahead),
    isRejected: () => ahead === undefined,
    live: {
      begin(call) {
        isRenumbered = true;
        const draft = createDraft({ shown, places, model });
        draft.begin(call);
        return draft.frames;
      },
      more({ id }, text) {
        const draft = createDraft({ shown, places, model });
        draft.more(id, text);
        return draft.frames;
      },
      isSequential: false,
      hasSplitNames: false,
    },
    endsCall: ({ value: { type, item } }) =>
      type === "response.output_item.done" && isRecord(item) && isCallType(item["type"]),
    hasIndexedParts: true,
    misreads: isLangChain(asked) ? hasHalfNumbers : undefined,
    writeText(said, like) {
      if (said.length === 0 && helper?.tripsOver(like, shown) === true) return [{ value: like, isComment: true }];
      isRenumbered = true;
      const draft = createDraft({ shown, places, model });
      if (isOfCall(like) || endOf(like) !== undefined) draft.speak(said);
      else draft.mend(like, said);
      return draft.frames;
    },
    writeRemainder(turn) {
      const draft = createDraft({ shown, places, model });
      draft.speakRest(turn);
      return draft.frames;
    },
    writeTurns([turn], waiting) {
      const draft = createDraft({ shown, places, model });
      const left = new Map(turn?.calls.map((call) => [call.id, call]));
      let ending: JsonObject = {};
      for (const { value } of waiting) {
        const { item, response } = value;
        if (endOf(value) !== undefined) ending = isRecord(response) ? response : ending;
        else if (helper?.tripsOver(value, shown) === true) continue;
        else if (!isOfCall(value)) draft.mend(value);
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
    ...(helper && { toIgnorable: (frame: Frame) => helper.harmless(frame, shown) }),
    serialize: eventOf,
    endMarker: "",
  };
}

/**
 * The turn as the client reads it. Undefined while a call is open, because more arguments may arrive even after valid
 * JSON.
 */
function plainTurns({ items, isEnded }: Shown): readonly ClientTurn[] | undefined {
  const called = [...items].filter(({ type }) => isCallType(type));
  if (!called.every(({ isDone }) => isDone)) return undefined;
  const calls = called.map(({ wire }) => plainCall(wire));
  return calls.every((call) => call !== undefined) ? [{ calls, isEnded }] : undefined;
}

/** True if an event contains exactly the decoded content. */
function saysWhatWasRead(value: JsonObject, { texts: said }: FrameContent): boolean {
  const own = saidBy(value);
  if (own === undefined) return said.length === 0;
  return said.length === 1 && said[0]?.type === own.type && said[0].text === own.text;
}
