import type { Page } from "playwright-core";
import { tool } from "undangle/agent";
import type { Model } from "undangle/models";
import { scriptedModel } from "undangle/testing";
import type { ScriptedModel } from "undangle/testing";
import { describe, expect, test } from "vitest";

import { noBrowser, openStudio } from "./browser.ts";

/** Stops a run until the test lets it continue. */
class Gate {
  #stopped = Promise.withResolvers<void>();
  #released = Promise.withResolvers<void>();

  /** Called by the run. */
  readonly pass = async (): Promise<void> => {
    this.#stopped.resolve();
    await this.#released.promise;
  };

  /** Waits until the run stops. */
  stopped(): Promise<void> {
    return this.#stopped.promise;
  }

  release(): void {
    const { resolve } = this.#released;
    this.#stopped = Promise.withResolvers();
    this.#released = Promise.withResolvers();
    resolve();
  }
}

/** A model that stops before every part of its responses. */
const gated = (model: ScriptedModel, gate: Gate): Model => ({
  name: model.name,
  stream(request) {
    const inner = model.stream(request);
    return {
      turn: () => inner.turn(),
      async *[Symbol.asyncIterator]() {
        for await (const part of inner) {
          await gate.pass();
          yield part;
        }
      },
    };
  },
});

/** What the page shows, without what is not saved: progress reports, and sentences for screen readers. */
const shown = (page: Page): Promise<string> =>
  page.locator("main").evaluate((main) => {
    const copy = main.cloneNode(true) as HTMLElement;
    for (const each of copy.querySelectorAll("[data-transient], [role=log]")) each.remove();
    for (const each of copy.querySelectorAll("*"))
      for (const name of ["style", "id", "for", "aria-describedby"]) each.removeAttribute(name);
    return copy.innerHTML;
  });

/** Everything is in sight, so that both pages have it in the document. */
const tall = { viewport: { width: 1000, height: 3000 } };

/** Where two pages begin to differ; empty if they are the same. */
async function difference(one: Page, other: Page): Promise<readonly string[]> {
  const [first, second] = await Promise.all([shown(one), shown(other)]);
  if (first === second) return [];
  let at = 0;
  while (first[at] === second[at]) at++;
  return [first, second].map((text) => text.slice(Math.max(0, at - 80), at + 160));
}

describe.skipIf(noBrowser)("a reload", () => {
  test("at every event gives the same page as without it", async () => {
    const gate = new Gate();
    const pay = tool({ name: "pay", description: "Pays.", approval: true, execute: () => "paid" });
    const look = tool({
      name: "look",
      description: "Looks.",
      async execute(_args, context) {
        context.progress({ done: 1, of: 2 });
        await gate.pass();
        return "seen";
      },
    });
    const model = scriptedModel(
      [
        { text: "Not this one." },
        { discard: "The response was cut." },
        {
          reasoning: "I think.",
          text: "I **look** and pay.",
          calls: [{ name: "look" }, { name: "pay" }, { name: "pay" }],
        },
        { text: "All is done.", reasoning: "Good." },
      ],
      { direct: false },
    );
    const studio = await openStudio({ agent: { model: gated(model, gate), tools: [look, pay] } });
    const { id } = await studio.client.threads.create({ title: "Steps" });
    const live = await studio.open(`/t/${id}`, tall);
    await live.getByRole("textbox", { name: "Message" }).waitFor();
    const fresh = await studio.open(`/t/${id}`, tall);
    let compared = 0;
    const compare = async (): Promise<void> => {
      await fresh.reload();
      await fresh.getByRole("textbox", { name: "Message" }).waitFor();
      await expect.poll(() => difference(fresh, live), { timeout: 4_000 }).toEqual([]);
      compared++;
    };
    await studio.client.threads.start.send(id, "Go.");
    const rest = async (): Promise<boolean> => {
      const isStopped = await Promise.race([
        gate.stopped().then(() => true),
        new Promise<false>((resolve) => setTimeout(resolve, 1_500, false)),
      ]);
      return isStopped;
    };
    while (await rest()) {
      await compare();
      gate.release();
    }
    await live.getByText("2 calls are pending").waitFor();
    await compare();
    await studio.client.threads.start.decide(id, { call_2: { type: "reject", reason: "No." } });
    await live.getByText("1 call is pending").waitFor();
    await compare();
    await studio.client.threads.start.decide(id, { call_3: { type: "approve" } });
    while (await rest()) {
      await compare();
      gate.release();
    }
    await live.getByText("All is done.", { exact: true }).waitFor();
    await compare();
    expect(compared).toBeGreaterThan(20);
  }, 180_000);
});
