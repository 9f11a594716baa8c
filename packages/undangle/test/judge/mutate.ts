import { generate, messagesOf } from "./generate.ts";
import { isRecord, isText, recordOf, type Loose } from "../../src/testing/judge/loose.ts";
import { randomFrom, type Random } from "./random.ts";
import type { Format, Spot } from "./subject.ts";
import { subjects } from "./subjects.ts";

/** A damaged copy of the body: one to three of the things that happen to histories, chosen by the seed. */
export const mutate = (body: unknown, format: Format, seed: number): unknown =>
  damagedBy(operators, body, format, seed);

/** The same, with values in it that are no longer what they were: JSON text, a list of one, null. Not all of it can be repaired. */
export const distort = (body: unknown, format: Format, seed: number): unknown =>
  damagedBy(allOperators, body, format, seed);

function damagedBy(choices: readonly [Operator, ...Operator[]], body: unknown, format: Format, seed: number): unknown {
  const random = randomFrom(seed);
  const copy = structuredClone(body);
  const times = 1 + random.below(3);
  for (let time = 0; time < times; time += 1) {
    const messages = messagesOf(copy, format);
    // The list belongs to the copy made above, so it may be changed in place.
    if (messages.length > 0) random.pick(choices)({ messages: messages as Mutable[], format, random });
  }
  return copy;
}

/** The damages by name, for tests that want a certain one. */
export function damage(body: unknown, format: Format, seed: number, name: OperatorName): unknown {
  const copy = structuredClone(body);
  const messages = messagesOf(copy, format);
  if (messages.length > 0) operatorsByName[name]({ messages: messages as Mutable[], format, random: randomFrom(seed) });
  return copy;
}

/** The name of a damage. */
export type OperatorName = keyof typeof operatorsByName;

type Mutable = Record<string, unknown>;

interface History {
  readonly messages: Mutable[];
  readonly format: Format;
  readonly random: Random;
}

type Operator = (history: History) => void;

const structural = {
  dropMessage: ({ messages, random }: History) => drop(messages, random),
  doubleMessage: ({ messages, random }: History) => double(messages, random),
  swapMessages: ({ messages, random }: History) => swap(messages, random),
  moveMessage: ({ messages, random }: History) => move(messages, messages, random),
  dropPart: (history: History) => withParts(history, (parts) => drop(parts, history.random)),
  doublePart: (history: History) => withParts(history, (parts) => double(parts, history.random)),
  swapParts: (history: History) => withParts(history, (parts) => swap(parts, history.random)),
  movePart: movePartToAnotherMessage,
  blankId: (history: History) => withIds(history, 1, ([one]) => one?.write("")),
  nullId: (history: History) => withIds(history, 1, ([one]) => one?.write(null)),
  deleteId: (history: History) => withIds(history, 1, ([one]) => one?.write(undefined)),
  doubleId: (history: History) => withIds(history, 2, ([one, other]) => one?.write(other?.id)),
  swapIds: (history: History) =>
    withIds(history, 2, ([one, other]) => {
      const id = one?.id;
      one?.write(other?.id);
      other?.write(id);
    }),
  cutArguments,
  nullContent: (history: History) => setContent(history, null),
  emptyContent: (history: History) => setContent(history, ""),
  addEmptyText,
  shuffle: ({ messages, random }: History) => replaceAll(messages, random.shuffle(messages)),
  trimFront: ({ messages, random }: History) => {
    messages.splice(0, random.below(messages.length));
  },
  trimTail: ({ messages, random }: History) => {
    messages.splice(1 + random.below(messages.length));
  },
  interleave,
} satisfies Record<string, Operator>;

const ofValues = {
  jsonText: (history: History) => changeNode(history, (node) => JSON.stringify(node)),
  listOfOne: (history: History) => changeNode(history, (node) => [node]),
  oddKey: (history: History) => changeNode(history, (node) => ({ [history.random.pick(oddKeys)]: node })),
  nullNode: (history: History) => changeNode(history, () => null),
  numberNode: (history: History) => changeNode(history, () => 7),
} satisfies Record<string, Operator>;

const operatorsByName = { ...structural, ...ofValues };

/** The names of all damages. */
export const operatorNames = Object.keys(operatorsByName) as readonly OperatorName[];

const [firstOperator, ...otherOperators] = Object.values(structural);
const operators: readonly [Operator, ...Operator[]] = [firstOperator ?? cutArguments, ...otherOperators];
const allOperators: readonly [Operator, ...Operator[]] = [...operators, ...Object.values(ofValues)];

function drop(items: unknown[], random: Random): void {
  if (items.length > 1) items.splice(random.below(items.length), 1);
}

function double(items: unknown[], random: Random): void {
  const item = items[random.below(items.length)];
  items.splice(random.below(items.length + 1), 0, structuredClone(item));
}

function swap(items: unknown[], random: Random): void {
  const one = random.below(items.length);
  const other = random.below(items.length);
  [items[one], items[other]] = [items[other], items[one]];
}

function move(from: unknown[], to: unknown[], random: Random): void {
  const moved = from.splice(random.below(from.length), 1);
  to.splice(random.below(to.length + 1), 0, ...moved);
}

/** The lists of calls or blocks in the history, each with something in it. */
function partLists({ messages, format }: History): unknown[][] {
  return messages
    .flatMap((message) => subjects[format].anatomy.partKeys.map((key) => recordOf(message)[key]))
    .filter((list): list is unknown[] => Array.isArray(list) && list.length > 0);
}

function withParts(history: History, change: (parts: unknown[]) => void): void {
  const lists = partLists(history);
  const parts = lists[history.random.below(lists.length)];
  if (parts !== undefined) change(parts);
}

function movePartToAnotherMessage({ messages, format, random }: History): void {
  const key = random.pick(subjects[format].anatomy.partKeys);
  const lists = messages
    .map((message) => recordOf(message)[key])
    .filter((list): list is unknown[] => Array.isArray(list));
  const from = lists.filter((list) => list.length > 0);
  const source = from[random.below(from.length)];
  const target = lists[random.below(lists.length)];
  if (source !== undefined && target !== undefined) move(source, target, random);
}

/** An empty text among the parts of a message; where no part has text, a message with nothing in it. */
function addEmptyText(history: History): void {
  const { messages, format, random } = history;
  const key = random.pick(subjects[format].anatomy.partKeys);
  const lists = messages
    .map((message) => recordOf(message)[key])
    .filter((list): list is unknown[] => Array.isArray(list));
  const text = lists.flat().find((part) => isRecord(part) && typeof part["text"] === "string");
  const parts = lists[random.below(lists.length)];
  if (!isRecord(text) || parts === undefined) setContent(history, "");
  else parts.splice(random.below(parts.length + 1), 0, { ...text, text: "" });
}

/** A place that holds the id of a call or of a result. */
interface IdPlace {
  readonly id: unknown;
  readonly write: (id: unknown) => void;
}

function idPlaces({ messages, format }: History): IdPlace[] {
  return spots(messages, subjects[format].anatomy.ids)
    .filter(({ holder, key }) => isText(holder[key]))
    .map(({ holder, key }) => ({ id: holder[key], write: (id: unknown) => write(holder, key, id) }));
}

const spots = (messages: readonly unknown[], find: (message: Loose) => readonly Spot[]): Spot[] =>
  messages.filter(isRecord).flatMap(find);

function write(holder: Loose, key: string, value: unknown): void {
  // Holders are parts of the copy, see mutate().
  const mutable = holder as Mutable;
  if (value === undefined) delete mutable[key];
  else mutable[key] = value;
}

function withIds(history: History, count: number, change: (places: readonly IdPlace[]) => void): void {
  const places = history.random.shuffle(idPlaces(history)).slice(0, count);
  if (places.length === count) change(places);
}

function cutArguments({ messages, format, random }: History): void {
  const found = spots(messages, subjects[format].anatomy.arguments).filter(
    ({ holder, key }) => holder[key] !== undefined,
  );
  const spot = found[random.below(found.length)];
  if (spot === undefined) return;
  const value = spot.holder[spot.key];
  const whole = typeof value === "string" ? value : JSON.stringify(value);
  write(spot.holder, spot.key, whole.slice(0, random.below(whole.length)));
}

/** Keys that objects have from elsewhere, or that no format knows. */
const oddKeys = ["odd", "0", "toString", "constructor", "value"] as const;

/** Puts something else in the place of a value somewhere in the history: of a message, a part, or what is in them. */
function changeNode({ messages, random }: History, change: (node: unknown) => unknown): void {
  let holder: Mutable | unknown[] = messages;
  for (;;) {
    const keys = Object.keys(holder);
    const key = keys[random.below(keys.length)];
    if (key === undefined) return;
    const node = (holder as Mutable)[key]; // a list is read by its indexes
    const isInner = typeof node === "object" && node !== null && Object.keys(node).length > 0;
    if (!isInner || random.chance(0.25)) {
      (holder as Mutable)[key] = change(node);
      return;
    }
    holder = node as Mutable | unknown[]; // seen above
  }
}

function setContent({ messages, format, random }: History, content: unknown): void {
  const message = messages[random.below(messages.length)];
  if (isRecord(message)) message[subjects[format].anatomy.contentKey] = content;
}

function replaceAll(messages: Mutable[], replacement: readonly Mutable[]): void {
  messages.splice(0, messages.length, ...replacement);
}

/** Two runs that wrote into one history: each keeps its order, the whole keeps neither. */
function interleave({ messages, format, random }: History): void {
  const other = structuredClone(messagesOf(generate(format, random.below(1_000_000), 2), format)) as Mutable[];
  const rest = [...messages];
  const mixed: Mutable[] = [];
  while (rest.length + other.length > 0) {
    const next = (random.chance(rest.length / (rest.length + other.length)) ? rest : other).shift();
    if (next !== undefined) mixed.push(next);
  }
  replaceAll(messages, mixed);
}
