import { isToolPart, isBoundary, isFinished, toolNameOf } from "./ui-steps.ts";
import { textOf } from "./message.ts";
import type { Wire } from "./message.ts";

/** What becomes of parts that have the id of another one in their step, by place: copies go, other calls need an id of their own. */
export function doubledParts(parts: readonly unknown[]): ReadonlyMap<number, "copy" | "other"> {
  const doubled = new Map<number, "copy" | "other">();
  let step = new Map<string, { readonly part: Wire; readonly place: number }[]>();
  parts.forEach((part, place) => {
    if (isBoundary(part)) step = new Map();
    if (!isToolPart(part)) return;
    const id = textOf(part["toolCallId"]);
    if (id === "") return;
    const same = step.get(id);
    if (same === undefined) {
      step.set(id, [{ part, place }]);
      return;
    }
    const isCopied = same.some((earlier) => !doubled.has(earlier.place) && isCopyOf(part, earlier.part));
    const older = same.filter((earlier) => doubled.get(earlier.place) !== "copy" && isCopyOf(earlier.part, part));
    same.push({ part, place });
    if (isCopied) doubled.set(place, "copy");
    else if (older.length === 0) doubled.set(place, "other");
    else {
      // This is what became of an earlier one: it takes its place, and its id where that was its own.
      const isFirst = older.some((earlier) => !doubled.has(earlier.place));
      for (const earlier of older) doubled.set(earlier.place, "copy");
      if (!isFirst) doubled.set(place, "other");
    }
  });
  return doubled;
}

/** True when a part says nothing that the other does not: the same call, as it was at some earlier time or just as it is. */
function isCopyOf(copy: Wire, of: Wire): boolean {
  if (toolNameOf(copy) !== toolNameOf(of)) return false;
  if (copy["state"] === "input-streaming" && of["state"] !== "input-streaming") return true;
  if (!isSame(copy["input"], of["input"])) return false;
  if (!isFinished(copy)) return isFinished(of) || copy["state"] === of["state"];
  return isFinished(of) && isSame(saidBy(copy), saidBy(of));
}

const saidBy = ({ state, output, errorText, approval }: Wire): unknown => [state, output, errorText, approval];

const isSame = (a: unknown, b: unknown): boolean => a === b || JSON.stringify(a) === JSON.stringify(b);
