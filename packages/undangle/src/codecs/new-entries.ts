import type { Call, Entry, Part, ResultEntry, Source } from "#core";

export function newResult(
  read: Pick<ResultEntry, "id" | "name" | "source"> & Partial<Pick<ResultEntry, "error" | "fresh" | "place" | "wire">>,
): ResultEntry {
  const { source, fresh = false, id, name, error = false, place = -1, wire } = read;
  return {
    role: "result",
    source,
    at: -1,
    fresh,
    content: undefined,
    parts: undefined,
    id,
    name,
    error,
    place,
    slot: -1,
    wire,
    regrouped: false,
  };
}

/** The entry of a message, in formats whose calls are parts. */
export function entryOfParts(
  role: "system" | "user" | "assistant",
  source: Source,
  parts: readonly Part[] | undefined,
): Entry {
  const place = { source, at: -1, fresh: false, content: undefined, parts };
  if (role !== "assistant") return { role, ...place };
  const calls = (parts ?? []).flatMap(({ call }) => call ?? []);
  return { role, ...place, calls, fresh: calls.some((call) => call.fresh) };
}

/** Writes a part at its position in a rebuilt message. `writeCall` writes an edited call. */
export function writePart(
  { wire, call }: Part,
  slot: number,
  writeCall: (call: Call, slot: number) => unknown,
): unknown {
  if (call === undefined) return wire;
  if (call.fresh) return writeCall(call, slot);
  call.slot = slot;
  return wire;
}
