import type { JsonObject } from "#core";

import { isToolPart, isBoundary, isFinished, toolNameOf } from "./ui-steps.ts";
import { textOf } from "./message.ts";

/**
 * The handling of parts with a duplicate id in their step, by position: copies are removed, other calls get new ids.
 */
export function doubledParts(parts: readonly unknown[]): ReadonlyMap<number, "copy" | "other"> {
  const doubled: Doubled = new Map();
  let step = new Map<string, { readonly part: JsonObject; readonly place: number; settle?: (twin: Twin) => void }>();
  parts.forEach((part, place) => {
    if (isBoundary(part)) step = new Map();
    if (!isToolPart(part)) return;
    const id = textOf(part["toolCallId"]);
    if (id === "") return;
    const first = step.get(id);
    if (first === undefined) step.set(id, { part, place });
    else {
      first.settle ??= createTwins(twinOf(first.part, first.place), doubled);
      first.settle(twinOf(part, place));
    }
  });
  return doubled;
}

type Doubled = Map<number, "copy" | "other">;

/** A part that shares its id with others of its step, and the fields in which copies are equal. */
interface Twin {
  readonly place: number;
  readonly state: unknown;
  readonly isFinished: boolean;
  readonly name: string;
  /** Its name and its input. */
  readonly call: string;
  readonly said: string;
}

function twinOf(part: JsonObject, place: number): Twin {
  const { state, input, output, errorText, approval } = part;
  const name = toolNameOf(part);
  const call = `${name}\u0000${JSON.stringify(input) ?? ""}`;
  const said = JSON.stringify([state, output, errorText, approval]);
  return { place, state, isFinished: isFinished(part), name, call, said };
}

/** Decides about parts with the same id, in order. Copies are found by content. */
function createTwins(first: Twin, doubled: Doubled): (twin: Twin) => void {
  let owner = first; // the part that keeps the id
  const files = new Map<string, Twin[]>();
  const file = (twin: Twin): void => {
    for (const key of keysOf(twin)) {
      const same = files.get(key);
      if (same === undefined) files.set(key, [twin]);
      else same.push(twin);
    }
  };
  file(first);
  return (twin) => {
    if (isCopyOf(twin, owner)) {
      doubled.set(twin.place, "copy");
      return;
    }
    // This part may be a later state of earlier ones. It replaces them, and gets the id if one of them had it.
    let isOwner = false;
    for (const key of copiesOf(twin)) {
      for (const earlier of files.get(key) ?? []) {
        isOwner ||= earlier === owner;
        doubled.set(earlier.place, "copy");
      }
      files.delete(key);
    }
    if (isOwner) owner = twin;
    else doubled.set(twin.place, "other");
    file(twin);
  };
}

/** True if a part contains nothing that the other lacks: the same call in the same or an earlier state. */
function isCopyOf(copy: Twin, of: Twin): boolean {
  if (copy.name !== of.name) return false;
  if (isStreaming(copy) && !isStreaming(of)) return true;
  if (copy.call !== of.call) return false;
  return copy.isFinished ? of.isFinished && copy.said === of.said : of.isFinished || copy.state === of.state;
}

const isStreaming = ({ state }: Twin): boolean => state === "input-streaming";

/** The keys under which a part is registered, for the lookup of its copies. */
function keysOf(twin: Twin): readonly string[] {
  if (twin.isFinished) return [`finished ${twin.said} ${twin.call}`];
  const keys = [`open ${twin.call}`, `same ${JSON.stringify(twin.state) ?? ""} ${twin.call}`];
  return isStreaming(twin) ? [...keys, `streaming ${twin.name}`] : keys;
}

/** The keys under which the copies of a part are found. */
function copiesOf(twin: Twin): readonly string[] {
  const open = twin.isFinished
    ? [`open ${twin.call}`, `finished ${twin.said} ${twin.call}`]
    : [`same ${JSON.stringify(twin.state) ?? ""} ${twin.call}`];
  return isStreaming(twin) ? open : [...open, `streaming ${twin.name}`];
}
