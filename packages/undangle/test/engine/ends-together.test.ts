import { createAgent, tool } from "#engine";
import type { ToolContext } from "#engine";
import { memoryStore } from "#store";
import type { Store } from "#store";
import { scriptedModel } from "#testing";
import { describe, expect, test } from "vitest";

import { statesOf } from "./recorded.ts";

/** A store that counts what it is given. */
function counting(): { readonly store: Store; readonly commits: () => number } {
  const inner = memoryStore();
  let commits = 0;
  const store: Store = {
    ...inner,
    commit(commit) {
      commits++;
      return inner.commit(commit);
    },
  };
  return { store, commits: () => commits };
}

const script = (names: readonly string[]) =>
  scriptedModel([{ calls: names.map((name) => ({ name })) }, { text: "Done." }]);

describe("calls that end in the same moment", () => {
  test.each([
    ["at once", () => "result"],
    ["with promises", async () => "result"],
  ])("are saved together when their tools answer %s", async (_, execute) => {
    const { store, commits } = counting();
    const each = tool({ name: "each", description: "Each.", execute });
    const run = createAgent({ model: script(Array.from({ length: 16 }, () => "each")), tools: [each], store })
      .thread("t")
      .send("Go.");
    expect(await run.result).toMatchObject({ status: "done", text: "Done." });
    expect(commits()).toBe(4); // the message; the answer, before its tools start; their ends; the last answer and the end
  });

  test("keep their results when one of them stops the run", async () => {
    const { store } = counting();
    const signals: boolean[] = [];
    const note = (_: unknown, { signal }: ToolContext): string => {
      signals.push(signal.aborted);
      return "noted";
    };
    const agent = createAgent({
      model: script(["note", "stop", "late", "note2"]),
      tools: [
        tool({ name: "note", description: "Notes.", execute: note }),
        tool({ name: "note2", description: "Notes.", execute: note }),
        tool({
          name: "stop",
          description: "Stops.",
          execute() {
            void agent.thread("t").stop();
            return "stopped";
          },
        }),
        tool({ name: "late", description: "Never ends.", execute: () => new Promise(() => undefined) }),
      ],
      store,
    });
    const { status } = await agent.thread("t").send("Go.").result;
    expect(status).toBe("stopped");
    expect(await statesOf(store, "t")).toEqual({
      note: "succeeded",
      stop: "succeeded",
      late: "stopped",
      note2: "succeeded",
    });
    expect(signals).toEqual([false, true]); // the one behind it was told
  });
});
