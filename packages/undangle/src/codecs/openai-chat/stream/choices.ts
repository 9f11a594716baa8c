import { isRecord, textOf } from "#core";
import type { Assembly, Choice, JsonObject } from "#core";

import { reasonIn } from "../../stream/decoder.ts";

type ReadChoice = (wire: JsonObject, choice: Choice, assembly: Assembly) => void;

interface Choices {
  readonly take: (wire: JsonObject, isOneOfMany: boolean) => void;
  readonly end: () => void;
}

/** More choices than any request has. A server that exceeds this number counts its chunks. */
const mostChoices = 16;

/**
 * Separates choices by index, unless a server increments the index with every chunk; then all chunks are one choice. A
 * choice that appears again or ends resolves this. Until then, chunks after the first are held. Indexes that only rise
 * count chunks, and only the last chunk may repeat the first index.
 */
export function sortChoices(assembly: Assembly, readChoice: ReadChoice): Choices {
  let isOne = assembly.options.isSingle === true;
  let held: JsonObject[] | undefined = assembly.options.isSingle === undefined ? [] : undefined; // otherwise it is known
  let last = Number.NEGATIVE_INFINITY;
  let isRising = true;
  let isEnded = false; // with the first index, after higher ones
  let areOpenings = true; // only starts of choices arrived so far
  let first: number | undefined;
  let kept: number | undefined; // the index of the choice to keep, if one of several was requested

  const choiceOf = (wire: JsonObject): Choice => assembly.choice(isOne ? (first ?? 0) : numberOf(wire));
  const read = (wire: JsonObject): void => readChoice(wire, choiceOf(wire), assembly);

  const settle = (areOne: boolean): void => {
    isOne = areOne && held !== undefined && held.length > 0;
    const wires = held ?? [];
    held = undefined;
    if (isOne) assembly.note("choices-folded", assembly.choice(first ?? 0));
    wires.forEach(read);
    // An unreadable chunk may follow held calls.
    const truncated = new Set(wires.map(choiceOf).filter(({ lost }) => lost !== undefined));
    for (const { slots } of truncated) for (const slot of slots) slot.isTruncated = true;
  };

  return {
    take(wire, isOneOfMany) {
      if (held === undefined) {
        if (isOne && isOneOfMany) kept ??= numberOf(wire);
        if (kept !== undefined && kept !== numberOf(wire)) return;
        last = numberOf(wire);
        read(wire);
        return;
      }
      const number = numberOf(wire);
      first ??= number;
      if (number === first && held.length > 0 && isRising && !isOneOfMany && isBareEnd(wire)) {
        isEnded = true;
        held.push(wire);
        return;
      }
      if (number === last) isRising = false;
      areOpenings &&= isOpening(wire);
      const isSecond = number > first && (areOpenings || hasFinish(assembly.choice(first)));
      if (isOneOfMany || isSecond || (isEnded ? number <= last : number < last)) settle(false);
      else if (number - first >= mostChoices) settle(true);
      last = number;
      if (held === undefined || number === first) read(wire);
      else held.push(wire);
    },
    end() {
      // If an index appears twice, a last chunk with a finish reason belongs to it, because each of two choices would
      // have its own end. Without a finish reason, the shape of the server with this defect applies.
      const endings = held?.filter(({ finish_reason: reason }) => reasonIn(reason) !== undefined) ?? [];
      const isCounted = held?.every(({ delta, message }) => isRecord(delta) && isRecord(message)) === true;
      settle(isRising || (endings.length === 0 ? isCounted : endings.every((wire) => numberOf(wire) === last)));
    },
  };
}

const numberOf = ({ index }: JsonObject): number => (typeof index === "number" ? index : 0);

const hasFinish = ({ finishes }: Choice): boolean => finishes.length > 0;

/** A chunk with only a finish reason. */
const isBareEnd = ({ finish_reason: reason, delta }: JsonObject): boolean =>
  reasonIn(reason) !== undefined && (!isRecord(delta) || isRoleOnly(delta));

/** A chunk that only starts a choice. */
const isOpening = ({ delta, message, finish_reason: reason }: JsonObject): boolean =>
  isRecord(delta) &&
  textOf(delta["role"]) !== undefined &&
  isRoleOnly(delta) &&
  !isRecord(message) &&
  reasonIn(reason) === undefined;

const isRoleOnly = (delta: JsonObject): boolean =>
  Object.keys(delta).every((key) => key === "role" || isBlank(delta[key]));

const isBlank = (value: unknown): boolean =>
  value === null || value === "" || (Array.isArray(value) && value.length === 0);
