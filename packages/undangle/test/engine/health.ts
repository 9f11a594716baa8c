import { createAgent } from "#engine";
import type { ModelRequest } from "#model";
import type { Store } from "#store";
import { scriptedModel } from "#testing";

import { afterDeath } from "./after-death.ts";
import { refusals } from "./all-formats.ts";
import { callsOf, endsOf, messagesIn } from "./recorded.ts";

/**
 * All that is wrong with a thread: what a provider would refuse of it, or of what the model was asked; calls that share an id;
 * calls that are open though nobody has to decide about them; and those that did not end exactly once.
 */
export async function faultsOf(
  store: Store,
  requests: readonly ModelRequest[] = [],
  id = "t",
): Promise<readonly string[]> {
  const calls = await callsOf(store, id);
  const ends = await endsOf(store, id);
  const events = await store.events(id);
  return [
    ...refusals({ messages: await messagesIn(store, id) }),
    ...requests.flatMap(refusals),
    ...(new Set(calls.map((call) => call.id)).size < calls.length ? ["two calls have one id"] : []),
    ...(new Set(calls.map(({ providerId }) => providerId)).size < calls.length
      ? ["two calls have one provider's id"]
      : []),
    ...(events.some(({ seq }, i) => seq !== i + 1) ? ["there is a gap in the events"] : []),
    ...calls.flatMap((call) => {
      if (call.state === "awaiting") return [];
      if (call.outcome === undefined) return [`${call.id} is ${call.state}, without an outcome`];
      const times = ends.get(call.id) ?? 0;
      return times === 1 ? [] : [`${call.id} ended ${times} times`];
    }),
  ];
}

/** All that is wrong with a thread after another process has gone on with it, which must be possible at any time. */
export async function faultsAfterwards(store: Store, id = "t"): Promise<readonly string[]> {
  const before = refusals({ messages: await messagesIn(store, id) });
  const model = scriptedModel([{ text: "I am here." }]);
  const agent = createAgent({ model, store: afterDeath(store) });
  const { text, error } = await agent.thread(id).send("Are you there?").result;
  const silence = text === "I am here." ? [] : [`it cannot go on: ${error?.message ?? text}`];
  return [...before, ...silence, ...(await faultsOf(store, model.requests, id))];
}
