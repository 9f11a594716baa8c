import type { AgentEvent } from "#engine";
import type { StoredEvent } from "#store";

/** An event as a reader gets it, wherever from. */
export interface Received {
  readonly id: string;
  readonly type: string;
  readonly data: unknown;
}

/**
 * What is wrong with the events that a reader received after a place, compared with those that are stored: every stored event
 * comes once and in the order of ids, whole or in deltas that add up to it.
 */
export function wrongWith(
  received: readonly Received[],
  stored: readonly StoredEvent[],
  after = "0",
): readonly string[] {
  const kept = received.filter((event) => !isPassing(event));
  const wrong: string[] = [];
  const got: Whole[] = [];
  let place = placeOf(after);
  const begin = place;
  for (const { id, type, data } of kept) {
    const at = placeOf(id);
    const isMore = at.number === place.number && at.offset > place.offset;
    if (!isMore && at.number <= place.number) wrong.push(`${id} (${type}) came after ${shown(place)}`);
    const text = textOf(data);
    const last = got.at(-1);
    if (isMore && last?.number === at.number) Object.assign(last, joined(last, text ?? ""));
    else got.push({ number: at.number, type, data });
    place = at;
  }
  const expected = stored.flatMap(({ seq, type, data }): readonly Whole[] => {
    if (seq < begin.number || (seq === begin.number && begin.offset === Infinity)) return [];
    if (seq > begin.number) return [{ number: seq, type, data }];
    const text = textOf(data)?.slice(begin.offset) ?? "";
    return text === "" ? [] : [{ number: seq, type, data: { ...(data as object), text } }];
  });
  const written = (events: readonly Whole[]): string => JSON.stringify(events);
  if (written(got) !== written(expected)) {
    const words = (events: readonly Whole[]): string =>
      events.map(({ number, type }) => `${number} ${type}`).join(", ");
    const isSame = words(got) === words(expected);
    wrong.push(
      isSame ? `${written(got)} is not ${written(expected)}` : `received ${words(got)}; stored ${words(expected)}`,
    );
  }
  return wrong;
}

interface Whole {
  readonly number: number;
  readonly type: string;
  readonly data: unknown;
}

const joined = ({ data }: Whole, text: string): Pick<Whole, "data"> => ({
  data: { ...(data as object), text: (textOf(data) ?? "") + text },
});

/** What is not stored: the progress of a tool, and its later attempts. */
export const isPassing = ({ type, data }: Received): boolean => {
  if (type !== "tool_call_running") return false;
  const running = data as Extract<AgentEvent, { type: "tool_call_running" }>["data"]; // by its type
  return "progress" in running || running.attempt > 1;
};

const textOf = (data: unknown): string | undefined => {
  const { text } = data as { readonly text?: unknown }; // events carry objects
  return typeof text === "string" ? text : undefined;
};

interface Place {
  readonly number: number;
  readonly offset: number;
}

export function placeOf(id: string): Place {
  const [number, offset = ""] = id.split(":"); // the third part is the last event that was saved then
  return { number: Number(number), offset: offset === "" ? Infinity : Number(offset) };
}

const shown = ({ number, offset }: Place): string => (offset === Infinity ? `${number}` : `${number}:${offset}`);
