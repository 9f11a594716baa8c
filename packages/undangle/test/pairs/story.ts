import fc from "fast-check";

/** A conversation without a format. Every call has a number of its own, in its arguments and in its result. */
export type Story = readonly Exchange[];

export interface Exchange {
  readonly user: string;
  readonly rounds: readonly Round[];
  /** What the model says at the end; undefined where the user speaks after a result. */
  readonly reply: string | undefined;
}

/** Calls that the model makes at once, and how a client stores them. */
export interface Round {
  readonly text: string | undefined;
  readonly calls: readonly StoryCall[];
  /** The order of the results: places of calls. */
  readonly order: readonly number[];
  /** Which side has ids, where the format does without. */
  readonly ids: "both" | "calls" | "results" | "none";
  /** Ids restart in every round, where the format allows it. */
  readonly restarts: boolean;
  /** After these calls a new assistant message begins, where the API merges neighbours. */
  readonly cutCalls: readonly boolean[];
  /** After these results a new message begins, where one message can hold several. */
  readonly cutResults: readonly boolean[];
  /** Only for formats in which a result may follow its own call directly, or come after other messages. */
  readonly placement: "after" | "directly" | "late";
}

export interface StoryCall {
  readonly name: string;
  readonly n: number;
}

/** What a history says of a call: its name, the number in its arguments, and the number in its result. */
export interface Triple {
  readonly name: string;
  readonly argument: number | undefined;
  readonly result: number | undefined;
}

export const triplesOf = (story: Story): readonly Triple[] =>
  story.flatMap(({ rounds }) =>
    rounds.flatMap(({ calls }) => calls.map(({ name, n }) => ({ name, argument: n, result: n }))),
  );

const round = fc.record({
  text: fc.option(fc.constant("Let me see."), { nil: undefined }),
  names: fc.array(fc.constantFrom("read", "read", "write", "list_files"), { minLength: 1, maxLength: 4 }),
  shuffle: fc.tuple(fc.nat(3), fc.nat(2), fc.nat(1)),
  ids: fc.constantFrom<Round["ids"]>("both", "calls", "results", "none"),
  restarts: fc.boolean(),
  cutCalls: fc.array(fc.boolean(), { maxLength: 3 }),
  cutResults: fc.array(fc.boolean(), { maxLength: 3 }),
  placement: fc.constantFrom<Round["placement"]>("after", "after", "directly", "late"),
});

const exchange = fc.record({
  rounds: fc.array(round, { maxLength: 3 }),
  reply: fc.option(fc.constant("Done."), { nil: undefined, freq: 3 }),
});

export const anyStory: fc.Arbitrary<Story> = fc
  .array(exchange, { minLength: 1, maxLength: 3 })
  .filter((exchanges) => exchanges.some(({ rounds }) => rounds.length > 0))
  .map((exchanges) => {
    let n = 0;
    return exchanges.map(({ rounds, reply }, i) => ({
      user: `Question ${i}.`,
      rounds: rounds.map(({ names, shuffle, ...layout }) => ({
        ...layout,
        calls: names.map((name) => ({ name, n: (n += 1) })),
        order: shuffled(names.length, shuffle),
      })),
      reply: rounds.length === 0 ? (reply ?? "Well.") : reply,
    }));
  });

function shuffled(length: number, picks: readonly number[]): readonly number[] {
  const left = Array.from({ length }, (_, i) => i);
  const order = picks.flatMap((pick) => left.splice(pick % Math.max(left.length, 1), 1));
  return [...order, ...left];
}

/** Where results have no ids, those of one name keep the order of their calls: nothing else says whose they are. */
export function orderByName({ calls, order }: Round): readonly number[] {
  const places = new Map<string, number[]>();
  calls.forEach(({ name }, i) => places.set(name, [...(places.get(name) ?? []), i]));
  return order.map((place) => places.get(calls[place]?.name ?? "")?.shift() ?? place);
}

/** Lists cut after the marked places. */
export function cut<T>(list: readonly T[], isCutAfter: readonly boolean[]): readonly (readonly T[])[] {
  const pieces: T[][] = [[]];
  list.forEach((each, i) => {
    pieces.at(-1)?.push(each);
    if (isCutAfter[i] === true && i < list.length - 1) pieces.push([]);
  });
  return pieces;
}
