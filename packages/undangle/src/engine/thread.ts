import { encode } from "#codecs";
import type { Conversation, Format, Message } from "#codecs";
import { UndangleError } from "#core";

import type { Decisions } from "./approvals/decisions.ts";
import type { AgentEvent, PendingCall } from "./events.ts";
import { inputParts } from "./input.ts";
import type { Input } from "./input.ts";
import { project } from "./ledger/project.ts";
import type { Actor, DecideOptions, SendOptions } from "./run/actor.ts";
import type { Book } from "./run/book.ts";
import { pendingOf } from "./run/call-events.ts";
import { readEvents } from "./run/read-events.ts";
import type { Run } from "./run/run.ts";
import { inputPolicies } from "./run/setup.ts";
import type { Setup } from "./run/setup.ts";

/** One conversation. Whatever happens in the middle of it, it stays healthy and can go on. */
export interface Thread {
  readonly id: string;
  /** Says something, and lets the model answer. */
  send(input: Input, options?: SendOptions): Run;
  /** Decides about calls, some or all; the rest waits. A decision that cannot be taken is an error, and then none is. */
  decide(decisions: Decisions, options?: DecideOptions): Run;
  approveAll(options?: DecideOptions): Run;
  rejectAll(reason?: string, options?: DecideOptions): Run;
  /** The calls that wait for a decision. */
  pending(): Promise<readonly PendingCall[]>;
  /** Ends what goes on; calls that wait are settled too. */
  stop(): Promise<void>;
  /** What a model would get to see, healthy at any time, in any format. */
  history(format: Format, target?: { readonly provider?: string; readonly model?: string }): Promise<unknown>;
  /** What happened, and what happens: it ends when the signal is aborted or the loop is left. */
  events(options?: { readonly after?: string | number; readonly signal?: AbortSignal }): AsyncIterable<AgentEvent>;
  /** What tools keep in the thread. */
  state(): Promise<Readonly<Record<string, unknown>>>;
}

export function createThread(id: string, setup: Setup, actor: () => Actor): Thread {
  const awaiting = (book: Book): readonly PendingCall[] =>
    (book.ledger().turn?.calls ?? []).filter(({ state }) => state === "awaiting").map(pendingOf);
  const all =
    (decision: Decisions[string]) =>
    (book: Book): Decisions => {
      const calls = awaiting(book);
      if (calls.length === 0) throw new UndangleError("decision/none", { threadId: id });
      return Object.fromEntries(calls.map((call) => [call.id, decision]));
    };
  return {
    id,
    send: (input, options = {}) => actor().send(() => inputParts(input), checked(options, ["onInput", "signal"])),
    decide: (decisions, options = {}) => actor().decide(() => decisions, checked(options, deciding)),
    approveAll: (options = {}) => actor().decide(all({ type: "approve" }), checked(options, deciding)),
    rejectAll: (reason, options = {}) =>
      actor().decide(all({ type: "reject", ...(reason !== undefined && { reason }) }), checked(options, deciding)),
    pending: async () => awaiting(await actor().read()),
    stop: () => actor().stop(),
    async history(format, { provider, model } = {}) {
      const book = await actor().read();
      const messages = book.recorded().flatMap((each) => project(each, setup.telling));
      return encode(conversationOf(messages, setup), { to: format, provider, model, language: setup.language });
    },
    events: (options = {}) => readEvents(id, setup.store, actor(), options),
    state: async () => (await actor().read()).ledger().state,
  };
}

const deciding = ["by", "signal"];

/** Refuses options that do not exist and values that mean nothing. */
function checked<Options extends SendOptions | DecideOptions>(options: Options, allowed: readonly string[]): Options {
  for (const [option, value] of Object.entries<unknown>({ ...options })) {
    if (!allowed.includes(option)) throw new UndangleError("options/unknown", { option, allowed });
    const { fits, values } = optionChecks[option as keyof typeof optionChecks]; // it is one of those
    if (value !== undefined && !fits(value))
      throw new UndangleError("options/value", { option, value, allowed: values });
  }
  return options;
}

const optionChecks = {
  onInput: { fits: (value: unknown) => inputPolicies.some((policy) => policy === value), values: inputPolicies },
  by: { fits: (value: unknown) => typeof value === "string", values: ["a text"] },
  signal: { fits: (value: unknown) => value instanceof AbortSignal, values: ["an AbortSignal"] },
};

function conversationOf(messages: readonly Message[], { system }: Setup): Conversation {
  const first: readonly Message[] =
    system.length === 0 ? [] : [{ role: "system", path: "", parts: system, isDeveloper: false }];
  return { messages: [...first, ...messages], setting: undefined };
}
