import { check, repair } from "undangle";
import type { Patcher } from "../contenders/deepagents.ts";
import { pairingFloor } from "../contenders/pairing-floor.ts";
import type { Conversation } from "../histories/conversation.ts";
import { type Body, messagesOf } from "../histories/formats.ts";
import type { Contender, Work } from "../measure/cpu-rounds.ts";
import type { Subject } from "./subjects.ts";

/** The row that all others are compared with: a request pays for it anyway. */
export const baseline = "JSON.stringify";

/** The row that the figures are about; those of single providers begin with it too. */
export const repairRow = "undangle repair";

/** A history at one size. */
export interface Sample {
  readonly subject: Subject;
  readonly messages: number;
  readonly source: Conversation;
  /** The body as text, so that every round can parse messages that nobody has seen before. */
  readonly text: string;
}

/** Everything that is done with a history. `patcher` is left out at sizes that take it minutes. */
export function contendersOf(sample: Sample, patcher?: Patcher): readonly Contender[] {
  const { rows } = sample.subject;
  if (rows === "providers") return [stringify(sample), ...forProviders(sample)];
  if (rows === "repair") return [stringify(sample), repairing(sample, repairRow)];
  return [
    stringify(sample),
    parse(sample),
    ...byHand(sample),
    checking(sample),
    repairing(sample, repairRow),
    ...(patcher === undefined ? [] : [patching(sample, patcher)]),
  ];
}

const stringify = (sample: Sample): Contender => ({
  name: baseline,
  prepare: () => each(fresh(sample), (body) => JSON.stringify(body)),
});

const parse = ({ text, messages }: Sample): Contender => ({
  name: "JSON.parse",
  prepare: () =>
    each(
      Array.from({ length: timesFor(messages) }, () => text),
      (body): unknown => JSON.parse(body),
    ),
});

function byHand(sample: Sample): readonly Contender[] {
  const { format } = sample.subject;
  const floor = pairingFloor[format];
  if (floor === undefined) return [];
  const prepare = (): Work => each(fresh(sample), (body) => floor(messagesOf(body, format)));
  return [{ name: "pairing pass by hand", prepare }];
}

function checking(sample: Sample): Contender {
  const { format } = sample.subject;
  return { name: "undangle check", prepare: () => each(fresh(sample), (body) => check(body, { format })) };
}

function repairing(sample: Sample, name: string, provider?: string): Contender {
  const { format } = sample.subject;
  const options = provider === undefined ? { format } : { format, provider };
  return { name, prepare: () => each(fresh(sample), (body) => repair(body, options)) };
}

const forProviders = (sample: Sample): readonly Contender[] => [
  repairing(sample, repairRow),
  ...["mistral", "deepseek", "minimax"].map((provider) => repairing(sample, `${repairRow}, ${provider}`, provider)),
];

function patching({ source, messages }: Sample, { messagesOf, patch }: Patcher): Contender {
  const list = messagesOf(source); // it keeps nothing between calls, so the same messages serve in every round
  const times = messages > 1000 ? 1 : timesFor(messages);
  const run = async (): Promise<void> => {
    for (let time = 0; time < times; time++) await patch(list);
  };
  return {
    name: "deepagents patchToolCalls",
    prepare: () => ({ times, run }),
    atMostRounds: messages > 10_000 ? 1 : 5,
  };
}

/** A body as it comes off the wire, and what becomes of it: every shape of object that the contenders work on. */
export function bodiesToKeep(sample: Sample): readonly unknown[] {
  const { format } = sample.subject;
  const body = JSON.parse(sample.text) as Body;
  return [body, repair(body, { format })];
}

const fresh = ({ text, messages }: Sample): readonly Body[] =>
  Array.from({ length: timesFor(messages) }, () => JSON.parse(text) as Body);

/** Short histories are measured many at a time. */
const timesFor = (messages: number): number => Math.ceil(20_000 / messages);

/** Work that does one thing with each input, and keeps what comes out, so that nothing can be optimised away. */
function each<Input>(inputs: readonly Input[], once: (input: Input) => unknown): Work {
  const outputs: unknown[] = Array.from({ length: inputs.length });
  const run = (): readonly unknown[] => {
    for (let i = 0; i < inputs.length; i++) outputs[i] = once(inputs[i] as Input); // i is within
    return outputs;
  };
  return { times: inputs.length, run };
}
