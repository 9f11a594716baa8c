import { faultNames, faults } from "undangle/testing";
import { bytesOf } from "../../src/testing/play/bytes.ts";
import { playTurn } from "../../src/testing/play/play-turn.ts";
import type { Frame, Wire } from "../../src/testing/play/played.ts";
import { completeTurn } from "../../src/testing/scripted-turn.ts";
import { randomFrom } from "../judge/random.ts";
import type { Random } from "../judge/random.ts";

/** A stream of Responses, as a server sends it, and what it means. */
export interface RandomResponse {
  readonly body: string;
  /** The calls, each as its name and its arguments. */
  readonly meant: readonly string[];
  /** What was done to it. */
  readonly damage: readonly string[];
}

const names = faultNames("openai-responses").filter((name) => faults[name].outcome !== "leaked");
const values = ['a "b" \\ {', "ü\n\t中", 12, null, true, [1, { x: "}" }], {}, "z".repeat(60)] as const;

/** A stream for a seed: up to three items, side by side or not, with up to three faults. */
export function randomResponse(seed: number): RandomResponse {
  const random = randomFrom(seed);
  const calls = Array.from({ length: 1 + random.below(3) }, (_, i) => ({
    id: `call_${i}`,
    name: random.pick(["find_book", "open_file"]),
    arguments: { ...argumentsFrom(random), i }, // tells the calls apart
  }));
  const text = random.chance(0.5) ? "Hé, let me look." : "";
  const reasoning = random.chance(0.3) ? "Hm. 让我想想。" : "";
  const turn = completeTurn({ text, reasoning, calls }, seed, "demo");
  const chosen = random.chance(0.5) ? [] : [names[random.below(names.length)] ?? "crlf"];
  const played = playTurn(turn, "openai-responses", chosen);
  const damage: string[] = [...chosen];
  if (random.chance(0.3)) {
    played.frames = sideBySide(played.frames, random);
    damage.push("side by side");
  }
  for (let count = random.below(4); count > 0; count--) {
    const how = random.pick(["lost", "doubled", "swapped", "moved", "emptied", "misplaced"]);
    const at = random.below(played.frames.length);
    if (chosen.includes("responses-no-done") && isPiece(played.frames[at])) continue; // nothing else has the arguments
    damage.push(`${how} ${at}: ${String(played.frames[at]?.data["type"])}`);
    ways[how]?.(played.frames, at, random);
  }
  const body = new TextDecoder().decode(Buffer.concat(bytesOf(played)));
  return { body, meant: calls.map(({ name, arguments: args }) => `${name} ${JSON.stringify(args)}`), damage };
}

const isPiece = (frame: Frame | undefined): boolean => frame?.data["type"] === "response.function_call_arguments.delta";

function argumentsFrom(random: Random): Readonly<Record<string, unknown>> {
  const keys = ["path", "title", "n"].slice(random.below(4));
  return Object.fromEntries(keys.map((key) => [key, random.pick(values)]));
}

/** The events of items among each other, each item in its own order. */
function sideBySide(frames: readonly Frame[], random: Random): Frame[] {
  const lists = new Map<unknown, Frame[]>();
  const isOfItem = ({ data }: Frame): boolean => data["output_index"] !== undefined;
  for (const frame of frames.filter(isOfItem)) {
    const index = frame.data["output_index"];
    lists.set(index, [...(lists.get(index) ?? []), frame]);
  }
  const all = [...lists.values()];
  const merged: Frame[] = [];
  while (all.some((list) => list.length > 0)) {
    const begun = all.findIndex((list) => list[0]?.data["type"] === "response.output_item.added"); // they begin in their order
    const which = random.below(begun < 0 ? all.length : begun + 1);
    const next = all[which]?.shift();
    if (next !== undefined) merged.push(next);
  }
  const first = frames.findIndex(isOfItem);
  if (first < 0) return [...frames];
  return [...frames.slice(0, first), ...merged, ...frames.slice(first).filter((frame) => !isOfItem(frame))];
}

const ways: Readonly<Record<string, (frames: Frame[], at: number, random: Random) => void>> = {
  lost: (frames, at) => void frames.splice(at, 1),
  doubled: (frames, at) => void frames.splice(at, 0, ...frames.slice(at, at + 1)),
  swapped: (frames, at) => void frames.splice(at, 2, ...frames.slice(at, at + 2).reverse()),
  moved(frames, at, random) {
    if (frames[at]?.data["type"] === "response.completed") return; // what comes behind it is none of the answer
    const moved = frames.splice(at, 1);
    frames.splice(random.below(frames.length), 0, ...moved);
  },
  emptied(frames, at, random) {
    const key = random.pick(["item_id", "output_index", "sequence_number", "item", "delta", "arguments", "type"]);
    change(frames, at, ({ [key]: _left, ...rest }) => rest);
  },
  misplaced: (frames, at, random) => change(frames, at, (data) => ({ ...data, output_index: random.below(4) })),
};

function change(frames: Frame[], at: number, how: (data: Wire) => Wire): void {
  const frame = frames[at];
  if (frame !== undefined) frames[at] = { ...frame, data: how(frame.data) };
}

/** What is wrong with the calls that a client has been given as finished; undefined where each is one that was meant, and once. */
export function wrongIn(body: string, meant: readonly string[]): string | undefined {
  const frames = body.split(/\r\n|\r|\n/u).flatMap((line) => (line.startsWith("data:") ? objectIn(line.slice(5)) : []));
  const done = frames.filter(({ type, item }) => type === "response.output_item.done" && item).map(({ item }) => item);
  const end = frames.find(({ type }) => type === "response.completed")?.["response"] as Wire | undefined;
  const deltas = new Map<unknown, string>();
  for (const { type, output_index: index, delta } of frames) {
    if (type === "response.function_call_arguments.delta") deltas.set(index, (deltas.get(index) ?? "") + String(delta));
  }
  for (const { type, output_index: index, arguments: text } of frames) {
    if (type === "response.function_call_arguments.done" && end !== undefined && (deltas.get(index) ?? "") !== text)
      return `deltas are not what is done: ${String(deltas.get(index))} / ${String(text)}`;
  }
  return wrongWith(callsOf(done), meant) ?? wrongWith(callsOf(end?.["output"]), meant);
}

function wrongWith(calls: readonly string[], meant: readonly string[]): string | undefined {
  const twice = calls.find((call, at) => calls.indexOf(call) !== at);
  if (twice !== undefined) return `twice: ${twice}`;
  const wrong = calls.find((call) => !meant.includes(call));
  return wrong === undefined ? undefined : `not meant: ${wrong}`;
}

/** Calls without a name, or whose arguments are no JSON, are none that anybody runs. */
const callsOf = (items: unknown): readonly string[] =>
  (Array.isArray(items) ? (items as readonly Wire[]) : []).flatMap((item) =>
    item["type"] === "function_call" && item["name"] !== ""
      ? objectIn(String(item["arguments"])).map((args) => `${String(item["name"])} ${JSON.stringify(args)}`)
      : [],
  );

function objectIn(text: string): readonly Wire[] {
  try {
    return [JSON.parse(text) as Wire]; // what else it may be is none of the calls that were meant
  } catch {
    return [];
  }
}
