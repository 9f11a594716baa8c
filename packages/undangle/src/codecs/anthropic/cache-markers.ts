import { isRecord } from "#core";
import type { JsonObject } from "#core";

import { takesCacheMarker } from "./repair/block-keys.ts";

/** How a prompt is marked. */
export interface CacheMarking {
  /** How long the provider keeps it. */
  readonly ttl?: Ttl | undefined;
  /** The first system text that may change during the conversation. The text before it is cached separately. */
  readonly volatileText?: string | undefined;
}

type Ttl = "5m" | "1h";

/** The API refuses a request with more markers. */
const mostMarkers = 4;

/**
 * A marker finds what was cached at it, or up to 19 blocks before it.
 *
 * @see https://platform.claude.com/docs/en/build-with-claude/prompt-caching
 */
const lookback = 20;

/**
 * Adds cache markers to a valid Messages request: after the tools, the static system text, the rest of the system text
 * and the last message. A turn with many parallel calls is longer than the lookback; then the end of the previous
 * request is marked instead of the tools, which the marker of the system text covers. Markers of the caller stay and
 * count. The given body and its messages do not change.
 */
export function markAnthropicCache(body: JsonObject, { ttl = "5m", volatileText }: CacheMarking): JsonObject {
  const own = ownMarkers(body);
  const free = placesIn(body, volatileText).filter(
    (place) => !own.some((marker) => compare(marker.place, place) === 0),
  );
  const isAutomatic = own.some(({ place: [section] }) => section === automatic);
  const wanted = isAutomatic ? free.filter(([section]) => section !== inMessages) : free; // the API marks the last block
  const chosen = wanted.slice(0, Math.max(0, mostMarkers - own.length));
  return chosen.reduce((marked, place) => withMarker(marked, place, ttlAt(place, ttl, own)), body);
}

const inTools = 0;
const inSystem = 1;
const inMessages = 2;
/** A marker of the whole request, which the API moves to the last block. */
const automatic = 3;

/** A block by its section in the order of the prompt, its item in the section, and its place in a message. */
type Place = readonly [section: number, item: number, block: number];

const compare = (one: Place, other: Place): number => one[0] - other[0] || one[1] - other[1] || one[2] - other[2];

/** The places to mark, the most useful first. */
function placesIn({ tools, system, messages }: JsonObject, volatileText: string | undefined): readonly Place[] {
  const texts = blocksOf(system);
  const found =
    volatileText === undefined ? -1 : texts.findIndex((block) => isRecord(block) && block["text"] === volatileText);
  const firstVolatile = found === -1 ? texts.length : found;
  const staticEnd = texts.slice(0, firstVolatile).findLastIndex(isMarkable);
  const end = texts.findLastIndex(isMarkable);
  const tool = listOf(tools).findLastIndex((each) => isRecord(each) && each["defer_loading"] !== true); // a deferred tool is not in the prompt
  return [
    ...placesInMessages(listOf(messages)),
    ...[staticEnd, ...(end === staticEnd ? [] : [end])].map((block): Place => [inSystem, block, 0]),
    [inTools, tool, 0] as const,
  ].filter(([, item]) => item >= 0);
}

/** The last block, and that of the previous request if it is too far away. */
function placesInMessages(messages: readonly unknown[]): readonly Place[] {
  const last = lastBlock(messages, messages.length);
  if (last === undefined) return [];
  const turn = messages.findLastIndex((message) => isRecord(message) && message["role"] === "assistant");
  const previous = lastBlock(messages, turn);
  return previous !== undefined && blocksBetween(messages, previous, last) >= lookback ? [last, previous] : [last];
}

/** The last block before a message that can have a marker. */
function lastBlock(messages: readonly unknown[], before: number): Place | undefined {
  for (let item = before - 1; item >= 0; item--) {
    const block = blocksIn(messages[item]).findLastIndex(isMarkable);
    if (block >= 0) return [inMessages, item, block];
  }
  return undefined;
}

/** The number of blocks after one place, up to another. */
function blocksBetween(messages: readonly unknown[], [, from, first]: Place, [, to, last]: Place): number {
  const whole = messages.slice(from, to).reduce<number>((count, message) => count + blocksIn(message).length, 0);
  return whole + last - first;
}

/** False for a block that the API refuses with a marker: thinking and empty text. */
function isMarkable(block: unknown): boolean {
  if (!isRecord(block) || !takesCacheMarker(block["type"])) return false;
  const { type, text } = block;
  return type !== "text" || (typeof text === "string" && text.trim() !== "");
}

interface Marker {
  readonly place: Place;
  readonly ttl: Ttl;
}

/** The markers that the caller has set. A text has none. */
function ownMarkers({ tools, system, messages, cache_control: whole }: JsonObject): readonly Marker[] {
  const markers: Marker[] = [];
  const read = (blocks: unknown, placeOf: (i: number) => Place): void => {
    for (const [i, block] of listOf(blocks).entries()) {
      if (!isRecord(block)) continue;
      const { cache_control: marker, content } = block;
      if (isRecord(marker)) markers.push({ place: placeOf(i), ttl: marker["ttl"] === "1h" ? "1h" : "5m" });
      if (Array.isArray(content)) read(content, () => placeOf(i)); // of a tool result
    }
  };
  read(tools, (i) => [inTools, i, 0]);
  read(system, (i) => [inSystem, i, 0]);
  for (const [item, message] of listOf(messages).entries()) {
    if (isRecord(message)) read(message["content"], (i) => [inMessages, item, i]);
  }
  read([{ cache_control: whole }], () => [automatic, 0, 0]);
  return markers;
}

/** The API refuses a marker that lasts longer than one before it. */
function ttlAt(place: Place, wanted: Ttl, own: readonly Marker[]): Ttl {
  if (own.some((marker) => marker.ttl === "5m" && compare(marker.place, place) < 0)) return "5m";
  if (own.some((marker) => marker.ttl === "1h" && compare(marker.place, place) > 0)) return "1h";
  return wanted;
}

function withMarker(body: JsonObject, [section, item, block]: Place, ttl: Ttl): JsonObject {
  const marked = (given: unknown): unknown => ({
    ...(isRecord(given) ? given : {}),
    cache_control: { type: "ephemeral", ...(ttl === "1h" && { ttl }) },
  });
  if (section === inTools) return { ...body, tools: replaced(listOf(body["tools"]), item, marked) };
  if (section === inSystem) return { ...body, system: replaced(blocksOf(body["system"]), item, marked) };
  const messages = replaced(listOf(body["messages"]), item, (message) => ({
    ...(isRecord(message) ? message : {}),
    content: replaced(blocksIn(message), block, marked),
  }));
  return { ...body, messages };
}

const replaced = (list: readonly unknown[], at: number, change: (value: unknown) => unknown): readonly unknown[] =>
  list.with(at, change(list[at]));

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? (value as readonly unknown[]) : []);

const blocksIn = (message: unknown): readonly unknown[] => blocksOf(isRecord(message) ? message["content"] : undefined);

/** A text is one block. */
const blocksOf = (content: unknown): readonly unknown[] =>
  typeof content === "string" ? [{ type: "text", text: content }] : listOf(content);
