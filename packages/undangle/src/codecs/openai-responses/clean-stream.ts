import { isRecord } from "#core";

import { eventOf } from "../stream/cleaner.ts";
import type { Cleaner, PlainTurn, Reading, SentFrame, StreamCleaner, Wire } from "../stream/cleaner.ts";
import { plainCall, responseBody } from "./clean-body.ts";
import { createDraft } from "./response-draft.ts";
import { copyOf, fits, nothingShown, show } from "./shown-response.ts";
import type { Shown } from "./shown-response.ts";
import { endOf, isCallType, isOfCall, saidBy } from "./stream-frames.ts";

/** Responses as OpenAI sends them. */
export const responsesCleaner: Cleaner = { stream: createStreamCleaner, body: responseBody };

function createStreamCleaner(): StreamCleaner {
  const shown = nothingShown();
  const places = new Map<unknown, number>(); // where the client has items that the server has at another index
  const passed = new WeakSet<SentFrame>();
  let hasCalls = false; // the client has seen one
  let isRenumbered = false; // events were written or left out: the numbers of those that follow may not do

  const isInPlace = ({ output_index: index, sequence_number: number }: Wire, { last }: Shown): boolean =>
    (places.get(index) ?? index) === index &&
    (!isRenumbered || last === undefined || (typeof number === "number" && number > last));

  const read = (frames: readonly SentFrame[]): readonly PlainTurn[] | undefined => {
    const client = copyOf(shown);
    for (const frame of frames) {
      if (passed.has(frame)) continue;
      if (!isInPlace(frame.value, client) || !fits(frame.value, client)) return undefined;
      show(frame.value, client);
    }
    const called = client.items.filter(({ type }) => isCallType(type));
    if (!called.every(({ isDone }) => isDone)) return undefined; // more of it may come, even where it parses
    const calls = called.map(({ wire }) => plainCall(wire));
    return calls.every((call) => call !== undefined) ? [{ calls, isEnded: client.isEnded }] : undefined;
  };

  return {
    isSound: ({ value }, reading) => isInPlace(value, shown) && fits(value, shown) && saysWhatWasRead(value, reading),
    passed(frame) {
      show(frame.value, shown);
      hasCalls ||= isOfCall(frame.value);
      if (hasCalls) passed.add(frame); // no other frame is ever given to read or to write
    },
    read,
    endsCall: ({ value: { type, item } }) =>
      type === "response.output_item.done" && isRecord(item) && isCallType(item["type"]),
    isNumbered: true,
    say(said, like) {
      isRenumbered = true;
      const draft = createDraft(shown, places);
      if (isOfCall(like) || endOf(like) !== undefined) draft.speak(said);
      else draft.mend(like, said);
      return draft.frames;
    },
    write([turn], given) {
      const draft = createDraft(shown, places);
      const left = new Map(turn?.calls.map((call) => [call.id, call]));
      let ending: Wire = {};
      for (const frame of given) {
        const { item, response } = frame.value;
        if (passed.has(frame)) continue;
        if (endOf(frame.value) !== undefined) ending = isRecord(response) ? response : ending;
        else if (!isOfCall(frame.value)) draft.mend(frame.value);
        else if (isRecord(item)) {
          const call = left.get(String(item["call_id"]));
          if (call !== undefined && left.delete(call.id)) draft.call(call, item["id"]);
        }
      }
      draft.adopt(ending["output"]);
      if (turn !== undefined) draft.speakRest(turn);
      for (const call of left.values()) draft.call(call, undefined);
      draft.end(ending, turn?.finish ?? "stop");
      return draft.frames;
    },
    textOf: eventOf,
    terminator: "",
  };
}

/** True when an event says what was read in it, and nothing else. */
function saysWhatWasRead(value: Wire, { said }: Reading): boolean {
  const own = saidBy(value);
  if (own === undefined) return said.length === 0;
  return said.length === 1 && said[0]?.type === own.type && said[0].text === own.text;
}
