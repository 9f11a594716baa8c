import { isRecord, textOf } from "#core";
import type { Assembly, Choice } from "#core";

type Wire = Readonly<Record<string, unknown>>;
type ReadChoice = (wire: Wire, choice: Choice, assembly: Assembly) => void;

interface Choices {
  readonly take: (wire: Wire, isOneOfMany: boolean) => void;
  /** The choice that another one with the index of the last one is read into at once; undefined where that is not certain. */
  readonly current: () => Choice | undefined;
  readonly end: () => void;
}

/** As many choices as nobody asks for: a server that counts this far counts its chunks. */
const mostChoices = 16;

/**
 * Takes choices apart by their index, unless a server counts it up with every chunk: then all are one. What tells is
 * whether a choice is ever spoken of again, or ends: until then those behind the first are held back.
 */
export function sortChoices(assembly: Assembly, readChoice: ReadChoice): Choices {
  let held: Wire[] | undefined = [];
  let isOne = false;
  let last = 0;
  let first: number | undefined;

  const read = (wire: Wire): void => readChoice(wire, assembly.choice(isOne ? (first ?? 0) : numberOf(wire)), assembly);

  const settle = (areOne: boolean): void => {
    isOne = areOne && held !== undefined && held.length > 0;
    const wires = held ?? [];
    held = undefined;
    if (isOne) assembly.note("choices-folded", assembly.choice(first ?? 0));
    wires.forEach(read);
  };

  return {
    take(wire, isOneOfMany) {
      if (held === undefined) {
        last = numberOf(wire);
        read(wire);
        return;
      }
      const number = numberOf(wire);
      first ??= number;
      if (isOneOfMany || number < last || (number > first && hasFinish(assembly.choice(first)))) settle(false);
      else if (number - first >= mostChoices) settle(true);
      last = number;
      if (held === undefined || number === first) read(wire);
      else held.push(wire);
    },
    current() {
      if (held !== undefined && last !== first) return undefined;
      return assembly.choice(isOne ? (first ?? 0) : last);
    },
    end() {
      // A last chunk that ends the answer belongs to it; one of two answers would have ended itself. Without an end it
      // takes the shape of the server that is known for it.
      const endings = held?.filter(({ finish_reason: reason }) => textOf(reason) !== undefined) ?? [];
      const isCounted = held?.every(({ delta, message }) => isRecord(delta) && isRecord(message)) === true;
      settle(endings.length === 0 ? isCounted : endings.every((wire) => numberOf(wire) === last));
    },
  };
}

const numberOf = ({ index }: Wire): number => (typeof index === "number" ? index : 0);

const hasFinish = ({ finishes }: Choice): boolean => finishes.length > 0;
