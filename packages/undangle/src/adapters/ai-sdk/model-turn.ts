import { inputText, takesParameters, takesText } from "#codecs";
import { cleanName, createAssembly, isRecord, listen, replaceText, textOf } from "#core";
import type { Anomaly, AssembledCall } from "#core";

import { createCallIds } from "./call-ids.ts";
import {
  hasPlaceholder,
  isEmpty,
  isInputOf,
  isSame,
  mayBe,
  mend,
  missingParts,
  textIn,
  withIdentity,
} from "./held-call.ts";
import type { HeldCall } from "./held-call.ts";
import { finishOf } from "./turn-end.ts";

/** The relevant part of a model call. */
export interface ModelCall {
  readonly prompt: readonly { readonly role: string }[];
  readonly tools?: readonly unknown[] | undefined;
  readonly providerOptions?: Readonly<Record<string, unknown>> | undefined;
  /** The reasoning effort, in version 7. */
  readonly reasoning?: unknown;
}

/** The parts of a turn. Calls are held until it is known whether the turn is complete. */
export interface ModelTurn {
  /** The part to pass at once; undefined for a part that is held. */
  take(part: unknown): unknown;
  /** Reports an error of the provider: the turn is incomplete. */
  fail(error: unknown): void;
  /** The end of the turn and its calls; undefined for a turn without a finish reason. */
  end(finishReason: unknown): EndedTurn;
  /** The names of the held calls. */
  names(): readonly string[];
  /** True once a call has started, even if it never ended. */
  hasBegun(): boolean;
}

interface EndedTurn {
  /** False if the input of a call is truncated, so that no call may run. */
  readonly isWhole: boolean;
  /** True if a held part was changed. */
  readonly isChanged: boolean;
  /** The final form of each held part, in order; undefined for a removed part. */
  readonly released: readonly unknown[];
  /** Calls of which only the input arrived. */
  readonly added: readonly unknown[];
  readonly anomalies: readonly Anomaly[];
}

type Wire = Readonly<Record<string, unknown>>;

/** Calls of provider tools and their parts pass unchanged, because the application does not run them. */
export function createModelTurn({ prompt, tools = [] }: ModelCall): ModelTurn {
  const ids = createCallIds(prompt);
  const offered = new Set(tools.flatMap((tool) => (isRecord(tool) ? [textOf(tool["name"]) ?? ""] : [])));
  const names = offered.size === 0 ? undefined : offered;
  const assembly = createAssembly({ tools: names, knownIds: new Set(), lenient: false });
  const choice = assembly.choice(0);
  let calls: HeldCall[] = [];
  const callsOf = new Map<string, HeldCall[]>(); // by original id
  const open = new Map<string, HeldCall>(); // the call whose input arrives under an id
  const bare = new Set<HeldCall>(); // calls without input
  const held: { readonly part: Wire; readonly of: HeldCall }[] = [];

  const toolOf = (name: string): unknown => tools.find((tool) => isRecord(tool) && tool["name"] === name);
  const hold = (part: Wire, of: HeldCall): undefined => void held.push({ part, of });
  const freshId = ({ name, given }: HeldCall, place: number): string => ids.fresh([name, given, place].join("\n"));

  function add(part: Wire, given: string): HeldCall {
    const name = cleanName(textOf(part["toolName"]) ?? "", names);
    const slot = assembly.open(choice);
    assembly.identify(slot, given);
    assembly.name(slot, part["toolName"]);
    const others = callsOf.get(given) ?? [];
    const call: HeldCall = { name, given, id: undefined, call: undefined, hasInputEnd: false, isCopy: false, slot };
    if (given === "" || !calls.some((one) => mayBe(one, call))) {
      const isFree = given !== "" && ids.claim(given);
      if (given !== "" && !isFree) assembly.note("id-repeated", slot);
      call.id = isFree ? given : freshId(call, calls.length);
    }
    callsOf.set(given, [...others, call]);
    calls.push(call);
    return call;
  }

  /** Removes a call that belongs to the provider or is a duplicate. */
  function remove(call: HeldCall): void {
    calls = calls.filter((one) => one !== call);
    if (open.get(call.given) === call) open.delete(call.given);
    callsOf.set(
      call.given,
      (callsOf.get(call.given) ?? []).filter((one) => one !== call),
    );
    choice.slots.splice(choice.slots.indexOf(call.slot), 1);
  }

  function takeInput(part: Wire): unknown {
    const given = textOf(part["id"]) ?? "";
    if (part["type"] === "tool-input-start") {
      if (part["providerExecuted"] === true) open.delete(given);
      else open.set(given, add(part, given));
    }
    const call = open.get(given);
    if (call === undefined) return part;
    if (part["type"] === "tool-input-end") call.hasInputEnd = true;
    if (typeof part["delta"] === "string" && call.call === undefined) assembly.append(call.slot, part["delta"]);
    return call.id === undefined ? hold(part, call) : withIdentity(part, call.id, call.name);
  }

  function takeCall(part: Wire): unknown {
    const given = textOf(part["toolCallId"]) ?? "";
    const name = cleanName(textOf(part["toolName"]) ?? "", names);
    const begun = callsOf.get(given)?.find((one) => one.call === undefined && (given !== "" || one.name === name));
    if (part["providerExecuted"] === true) {
      if (begun !== undefined) remove(begun);
      ids.claim(given);
      return part;
    }
    const call = begun ?? add(part, given);
    if (begun === undefined) bare.add(call);
    const { slot } = call;
    const input = inputText(part["input"]);
    call.call = part;
    slot.isFreeText = takesText(toolOf(call.name));
    if (part["input"] !== undefined && part["input"] !== null && typeof part["input"] !== "string") {
      assembly.note("arguments-object", slot);
    }
    if (slot.fragments.join("") !== input) replaceText(slot, input);
    return hold(part, call);
  }

  /** Parts that refer to a held call wait for it. */
  function takeAnswer(part: Wire): unknown {
    const call = callsOf.get(textOf(part["toolCallId"]) ?? "")?.find(({ call: ended }) => ended !== undefined);
    return call === undefined ? part : hold(part, call);
  }

  /** Removes inputs without a call that belong to a later call with another id and no input. */
  function adopt({ mayBeBlank }: { readonly mayBeBlank: boolean }): void {
    for (const input of calls.filter((one) => one.call === undefined)) {
      const behind = calls.slice(calls.indexOf(input) + 1);
      const call = behind.find((one) => bare.has(one) && isInputOf(input, one, { mayBeBlank }));
      if (call === undefined) continue;
      bare.delete(call);
      assembly.note("id-late", call.slot);
      input.isCopy = true;
      remove(input);
    }
  }

  /** Decides which calls are repetitions, and gives the others ids. */
  function settle(): void {
    for (const [place, one] of [...calls].entries()) {
      if (one.id !== undefined) continue;
      const before = calls.slice(0, calls.indexOf(one)).filter((other) => mayBe(other, one));
      const original = before.find((other) => isSame(other, one));
      const sameId = before.find(({ given }) => given === one.given);
      const isFilled = sameId !== undefined && sameId.name === one.name && isEmpty(sameId) && one.call !== undefined;
      if (original !== undefined) assembly.note("arguments-resent", original.slot);
      else if (isFilled) {
        replaceText(sameId.slot, textIn(one)); // the first input was only a placeholder
        assembly.note("arguments-placeholder", sameId.slot);
      }
      one.isCopy = original !== undefined || isFilled || (sameId !== undefined && one.call === undefined);
      if (one.isCopy) remove(one);
      else one.id = sameId === undefined && ids.claim(one.given) ? one.given : freshId(one, place);
    }
  }

  /** True if the input of a call may be lost. Some parsers drop what they cannot assign. */
  function isDoubtful(call: HeldCall): boolean {
    const wasStreamed = open.get(call.given) === call;
    if (!wasStreamed || !isEmpty(call) || !takesParameters(toolOf(call.name))) return false;
    if (textIn(call).trim() === "" && (call.name !== call.slot.name || calls.some((one) => !isEmpty(one)))) return true;
    return calls.some((one) => hasPlaceholder(one) || (one.given !== call.given && mayBe(call, one)));
  }

  /** Marks calls without input, and returns those of which nothing else arrived. */
  function complete(): readonly HeldCall[] {
    for (const call of calls.filter((one) => one.call === undefined)) {
      const tool = toolOf(call.name);
      if (!isRecord(tool) || tool["type"] !== "function") remove(call); // the package handles it
    }
    for (const call of calls) {
      call.slot.isOpen = isDoubtful(call) || (call.call === undefined && textIn(call).trim() === "");
    }
    return calls.filter((one) => one.call === undefined);
  }

  return {
    take(part) {
      if (!isRecord(part)) return part;
      const { type } = part;
      if (type === "tool-call") return takeCall(part);
      if (type === "tool-result" || type === "tool-approval-request") return takeAnswer(part);
      return typeof type === "string" && type.startsWith("tool-input-") ? takeInput(part) : part;
    },
    fail: (error) => assembly.fail({ message: String(error), from: "provider" }),
    end(finishReason) {
      adopt({ mayBeBlank: false });
      adopt({ mayBeBlank: true });
      settle();
      const added = finishReason === undefined ? [] : complete();
      const finish = finishOf(finishReason);
      if (finish !== undefined) assembly.finish(choice, finish);
      const results = new Map<number, AssembledCall>();
      listen(assembly, (part) => {
        if (part.type === "call-end") results.set(part.call, part.result);
      });
      const [turn] = assembly.end();
      const mended = ({ part, of }: (typeof held)[number]): unknown => {
        const result = results.get(of.slot.number);
        return of.isCopy || result === undefined ? undefined : mend(part, of, result);
      };
      const released = held.map(mended);
      return {
        isWhole: turn?.complete ?? true,
        isChanged: released.some((part, i) => part !== held[i]?.part),
        released,
        added: added.flatMap((call) => missingParts(call, results.get(call.slot.number))),
        anomalies: turn?.anomalies ?? [],
      };
    },
    names: () => calls.filter(({ call }) => call !== undefined).map(({ name }) => name),
    hasBegun: () => calls.length > 0,
  };
}
