import { cleanName, replaceText, textOf } from "#core";
import type { Assembly, JsonObject, Slot } from "#core";

import { sealIn } from "../../convert/ai-sdk-options.ts";
import { inputText, isMadeBySdk, saySame, takesParameters } from "../call-input.ts";
import type { AiSdkTool } from "./decode.ts";

/** The calls of a streamed response: input deltas first, then the complete call. */
export interface StreamedCalls {
  readonly begin: (part: JsonObject) => void;
  readonly more: (part: JsonObject) => void;
  readonly call: (part: JsonObject) => void;
  /** Ends the response. Later calls are ignored. */
  readonly close: () => void;
  readonly end: () => void;
}

interface StreamedCall {
  readonly slot: Slot;
  /** The original id. "" if there is none. */
  readonly given: string;
  readonly name: string;
  /** True if its input arrived in deltas. */
  readonly isStreamed: boolean;
  /** True once the part with the complete call has arrived. */
  isWhole: boolean;
  /** An input under another id that belongs to this call, unless a call with that id arrives. */
  input?: StreamedCall;
}

/** Calls of provider tools are only recorded. */
export function createStreamedCalls(assembly: Assembly, tools: readonly AiSdkTool[]): StreamedCalls {
  const choice = assembly.choice(0);
  let calls: StreamedCall[] = [];
  const open = new Map<string, StreamedCall>(); // calls with an open input, by its id
  let isClosed = false;

  const add = (given: string, toolName: unknown, isStreamed: boolean): StreamedCall => {
    const slot = assembly.open(choice);
    const name = cleanName(textOf(toolName) ?? "", assembly.options.tools);
    const call: StreamedCall = { slot, given, name, isStreamed, isWhole: false };
    slot.repeats = calls.find((one) => mayBe(one, call))?.slot; // not emitted until it is clear
    slot.isOpen = isClosed;
    if (isClosed) assembly.note("after-finish", slot);
    assembly.identify(slot, given);
    assembly.name(slot, toolName);
    calls.push(call);
    return call;
  };

  const remove = (call: StreamedCall): void => {
    calls = calls.filter((one) => one !== call);
    choice.slots.splice(choice.slots.indexOf(call.slot), 1);
  };

  /**
   * The input for a call that arrives without one, under another id. Some packages use the first id of an item for its
   * input.
   */
  const inputFor = (name: string, text: string): StreamedCall | undefined => {
    const free = calls.filter((one) => !one.isWhole && one.name === name && calls.every(({ input }) => input !== one));
    return free.find((one) => saySame(texts(one), text)) ?? free.find((one) => texts(one).trim() === "");
  };

  /** Joins a call to the input that arrived before it under another id, unless that input gets its own call. */
  const adopt = (call: StreamedCall): void => {
    const { slot, input } = call;
    if (input === undefined) return;
    if (slot.repeats === input.slot) slot.repeats = undefined;
    if (input.isWhole) return;
    input.isWhole = true;
    input.slot.id = slot.id;
    input.slot.seal = slot.seal;
    input.slot.isOpen ||= slot.isOpen;
    replaceText(input.slot, texts(call));
    assembly.note("id-late", input.slot);
    remove(call);
  };

  /** Decides which calls are repetitions. */
  const settle = (call: StreamedCall): void => {
    const { slot, given, name } = call;
    if (slot.repeats === undefined) return;
    const before = calls.slice(0, calls.indexOf(call)).filter((one) => mayBe(one, call));
    const same = before.find(
      (one) => one.isWhole && call.isWhole && one.name === name && saySame(texts(one), texts(call)),
    );
    if (same !== undefined) {
      slot.id = same.slot.id;
      slot.repeats = same.slot;
      replaceText(slot, texts(same)); // the order of keys may differ
      assembly.note("arguments-resent", same.slot);
    } else if (!call.isWhole && before.some((one) => one.given === given)) remove(call);
    else if (!before.some((one) => one.given === given)) slot.repeats = undefined; // a separate call with an id from the SDK
  };

  /** True if the input of a call may be lost. Some packages drop deltas that they cannot assign. */
  const isDoubtful = (call: StreamedCall): boolean => {
    if (!call.isWhole && texts(call).trim() === "") return true;
    const tool = tools.find(({ name }) => name === call.name);
    if (!call.isStreamed || !isEmpty(call) || !takesParameters(tool)) return false;
    const isBlank = texts(call).trim() === "";
    if (isBlank && (call.name !== call.slot.name || calls.some((one) => !isEmpty(one)))) return true;
    return calls.some((one) => hasPlaceholder(one) || (one.given !== call.given && mayBe(call, one)));
  };

  return {
    begin(part) {
      const given = textOf(part["id"]) ?? "";
      if (part["providerExecuted"] === true) open.delete(given);
      else open.set(given, add(given, part["toolName"], true));
    },
    more({ id, delta }) {
      const call = open.get(textOf(id) ?? "");
      if (call !== undefined && !call.isWhole && typeof delta === "string") assembly.append(call.slot, delta);
    },
    call(part) {
      const given = textOf(part["toolCallId"]) ?? "";
      const name = cleanName(textOf(part["toolName"]) ?? "", assembly.options.tools);
      const begun = calls.find((one) => !one.isWhole && one.given === given && (given !== "" || one.name === name));
      if (part["providerExecuted"] === true) {
        if (begun !== undefined) remove(begun);
        assembly.note("server-tool", choice);
        return;
      }
      const input = inputText(part["input"]);
      const before = begun === undefined ? inputFor(name, input) : undefined;
      const call = begun ?? add(given, part["toolName"], false);
      const { slot } = call;
      if (before !== undefined) {
        call.input = before;
        slot.repeats ??= before.slot; // not emitted until it is clear
      }
      call.isWhole = true;
      if (typeof part["input"] === "object" && part["input"] !== null) assembly.note("arguments-object", slot);
      if (!slot.hasText) assembly.append(slot, input);
      else if (texts(call) !== input) replaceText(slot, input); // the complete input takes precedence over its deltas
      const { seal } = sealIn(part["providerMetadata"]);
      if (seal?.owner === "gemini") slot.seal = seal;
    },
    close() {
      isClosed = true;
    },
    end() {
      for (const call of calls) adopt(call);
      for (const call of calls) settle(call);
      for (const call of calls) call.slot.isOpen ||= isDoubtful(call);
    },
  };
}

const texts = ({ slot }: StreamedCall): string => slot.fragments.join("");

/** True for no input, and for an empty object. */
const isEmpty = (call: StreamedCall): boolean => /^\s*(?:\{\s*\}\s*)?$/u.test(texts(call));

/** True if an empty object precedes the input. */
const hasPlaceholder = (call: StreamedCall): boolean => /^\s*\{\s*\}\s*\S/u.test(texts(call));

/**
 * True if a later call may repeat an earlier one: it has the same id, or an id that the SDK generated because the id
 * was in use.
 */
const mayBe = (earlier: StreamedCall, { name, given }: StreamedCall): boolean =>
  given !== "" &&
  (earlier.given === given ||
    (earlier.given !== "" && earlier.name === name && isMadeBySdk(given) && !isMadeBySdk(earlier.given)));
