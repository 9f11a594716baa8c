import { isRecord } from "#core";
import type { AssembledCall, AssembledTurn, JsonObject } from "#core";

import { argumentsText, hasHalfNumbers, isId, isLangChain, usualWriter } from "../../stream/response-writer.ts";
import type {
  ClientTurn,
  Frame,
  FrameContent,
  RequestFacts,
  ResponseWriter,
  StreamWriter,
} from "../../stream/response-writer.ts";
import { eventsTakenIn, progressOf, endOf, isCallItem, isCallType, isOfCall, textIn } from "../stream/frames.ts";
import { completedBody, isIntroduced, isPicky } from "./add-missing-fields.ts";
import { copyOf, emptyView, fits, show } from "./client-view.ts";
import type { ClientView } from "./client-view.ts";
import { createDraft } from "./draft.ts";

/** Writes responses in OpenAI's form. */
export const responsesWriter: ResponseWriter = {
  stream: createStreamWriter,
  body: {
    isTextVisible: hasAllFields,
    clientTurns: readBody,
    write: writeBody,
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
    ...usualWriter,
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
    misreads: (text) => isLangChain(facts) && hasHalfNumbers(text),
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

/**
 * `responses.stream()` of OpenAI's SDK, which assembles the response itself and throws for an unknown event. Clients
 * that only read events ignore it.
 */
interface StreamHelper {
  /** True for an event that the client does not know, or that reports progress of an unknown item. */
  readonly tripsOver: (value: JsonObject, view: ClientView) => boolean;
  /**
   * The frame itself if the client accepts it. Otherwise a comment, because the frame may keep the connection alive.
   */
  readonly harmless: (frame: Frame, view: ClientView) => Frame;
}

/** The helper of the request, if any. */
function helperOf(facts: RequestFacts | undefined): StreamHelper | undefined {
  const { method, version } = facts?.helper ?? {};
  if (method !== "stream") return undefined;
  const known = eventsTakenIn(version);
  return {
    tripsOver({ type, output_index: index, item_id: id }, { items }) {
      if (!known.has(type)) return true;
      const kind = progressOf(type);
      if (kind === undefined) return false;
      const item = typeof index === "number" ? items.at(index) : undefined;
      return item?.type !== kind || item.id !== id;
    },
    harmless: (frame, { response }) =>
      response !== undefined && known.has(frame.value["type"]) ? frame : { ...frame, isComment: true },
  };
}

/** False if fields that clients require are missing. */
function hasAllFields(body: JsonObject, facts?: RequestFacts): boolean {
  return completedBody(body, facts) === body;
}

/** Reads a body as a client. Undefined if the client would fail. */
function readBody(body: JsonObject, facts?: RequestFacts): readonly ClientTurn[] | undefined {
  const { output, status } = body;
  if (!hasAllFields(body, facts) || !Array.isArray(output) || !output.every(isRecord)) return undefined;
  const calls: { id: string; name: string; arguments: string }[] = [];
  for (const item of output) {
    if (typeof item["type"] !== "string") return undefined;
    if (item["type"] === "message" && !Array.isArray(item["content"])) return undefined;
    if (!isCallType(item["type"])) continue;
    const call = plainCall(item);
    if (call === undefined || calls.some(({ id }) => id === call.id)) return undefined;
    calls.push(call);
  }
  return [{ calls, isEnded: (status ?? "completed") === "completed" }];
}

/** A call as clients read it. The input of a custom tool is plain text. */
function plainCall(item: JsonObject): ClientTurn["calls"][number] | undefined {
  const { type, call_id: id, name, arguments: args, input } = item;
  if (!isId(id) || typeof name !== "string" || name.trim() === "") return undefined;
  const text = type === "custom_tool_call" && typeof input === "string" ? JSON.stringify({ input }) : args;
  return typeof text === "string" ? { id, name, arguments: text } : undefined;
}

/** Calls keep their positions; entries that are not calls are removed. */
function writeBody([turn]: readonly AssembledTurn[], body: JsonObject, facts?: RequestFacts): JsonObject {
  const left = [...(turn?.calls ?? [])];
  const given = Array.isArray(body["output"]) ? body["output"].filter(isRecord) : [];
  const output = given.flatMap((item) => {
    if (!isCallItem(item)) return [item];
    const call = left.shift();
    return call === undefined ? [] : [writeCall(call, item)];
  });
  const status = turn?.complete === false && typeof body["status"] === "string" ? body["status"] : "completed";
  return completedBody({ ...body, status, output: [...output, ...left.map((call) => writeCall(call, {}))] }, facts);
}

function writeCall(call: AssembledCall, { id, ...item }: JsonObject): JsonObject {
  const { id: call_id, name, extras } = call;
  const isCustom = extras?.["type"] === "custom";
  const [type, prefix] = isCustom ? ["custom_tool_call", "ctc"] : ["function_call", "fc"];
  const { arguments: _arguments, input: _input, ...rest } = item;
  const input = isCustom ? { input: call.raw } : { arguments: argumentsText(call) };
  const own = typeof id === "string" && id.trim() !== "" ? id : `${prefix}_${call_id}`;
  return { ...rest, type, id: own, call_id, name, ...input, status: "completed" };
}
