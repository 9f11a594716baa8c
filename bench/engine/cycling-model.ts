import { assemble } from "undangle";
import type { Model } from "undangle/agent";
import { eventsOf } from "./provider-stream.ts";
import { callsOf, stepsPerRun, stepsWithCalls } from "./workload.ts";

/** A model that makes one call in each step of a run, and then gives the final text, without a network. */
export function cyclingModel(): Model {
  let asked = 0;
  return {
    name: "bench",
    stream() {
      const step = asked++ % stepsPerRun;
      const calls = callsOf(step, 1).map((call) => ({ ...call, id: `${call.id}_${asked}` }));
      return assemble([eventsOf(step < stepsWithCalls ? calls : [])], { format: "openai-chat" });
    },
  };
}
