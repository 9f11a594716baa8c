import type { Page } from "playwright-core";
import { subagents, tool } from "undangle/agent";
import type { Model } from "undangle/models";
import { scriptedModel } from "undangle/testing";
import type { ScriptedModel } from "undangle/testing";
import { describe, expect, onTestFinished, test } from "vitest";

import { noBrowser, openStudio } from "../browser.ts";
import type { Studio } from "../browser.ts";

/** Stops a run until the test lets it continue. */
class Gate {
  #stopped = Promise.withResolvers<void>();
  #released = Promise.withResolvers<void>();
  #isOpen = false;

  /** Called by the run. */
  readonly pass = async (): Promise<void> => {
    if (this.#isOpen) return;
    this.#stopped.resolve();
    await this.#released.promise;
  };

  /** Waits until the run stops. */
  stopped(): Promise<void> {
    return this.#stopped.promise;
  }

  /** Stops nothing any more. */
  readonly open = (): void => {
    this.#isOpen = true;
    this.release();
  };

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

/**
 * What the page shows, without what is not saved: progress reports, what a sub-agent just did, seconds that pass, and
 * sentences for screen readers. Warnings are saved, but a page that is opened reads only those among the last events.
 */
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

async function expectSame(fresh: Page, live: Page): Promise<void> {
  await expect.poll(() => difference(fresh, live), { timeout: 4_000 }).toEqual([]);
}

/** A page that stays open, and another one that is reloaded at every event. */
class TwoPages {
  readonly live: Page;
  readonly #fresh: Page;
  readonly #gate: Gate;
  #compared = 0;

  constructor(pages: { readonly live: Page; readonly fresh: Page; readonly gate: Gate }) {
    this.live = pages.live;
    this.#fresh = pages.fresh;
    this.#gate = pages.gate;
  }

  static async open(studio: Studio, path: string, gate: Gate): Promise<TwoPages> {
    const live = await studio.open(path, tall);
    await live.getByRole("textbox", { name: "Message" }).waitFor();
    return new TwoPages({ live, fresh: await studio.open(path, tall), gate });
  }

  /** How often the pages were compared. */
  get compared(): number {
    return this.#compared;
  }

  readonly compare = async (): Promise<void> => {
    await this.#fresh.reload();
    await this.#fresh.getByRole("textbox", { name: "Message" }).waitFor();
    await expectSame(this.#fresh, this.live);
    this.#compared++;
  };

  /** Compares the pages at every stop of the run, until it does not stop any more. */
  async compareAtEveryStop(): Promise<void> {
    while (await this.#stops()) {
      await this.compare();
      this.#gate.release();
    }
    await this.compare();
  }

  /** Compares the pages at every stop, until the live page shows something. */
  async compareUntil(isReached: () => Promise<boolean>): Promise<void> {
    while ((await this.#stops()) && !(await isReached())) {
      await this.compare();
      this.#gate.release();
    }
    await this.compare();
  }

  #stops(): Promise<boolean> {
    return Promise.race([
      this.#gate.stopped().then(() => true),
      new Promise<false>((resolve) => setTimeout(resolve, 1_500, false)),
    ]);
  }
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
    const pages = await TwoPages.open(studio, `/t/${id}`, gate);
    await studio.client.threads.start.send(id, "Go.");
    await pages.compareAtEveryStop();
    await pages.live.getByText("2 calls are pending").waitFor();
    await studio.client.threads.start.decide(id, { call_2: { type: "reject", reason: "No." } });
    await pages.live.getByText("1 call is pending").waitFor();
    await pages.compare();
    await studio.client.threads.start.decide(id, { call_3: { type: "approve" } });
    await pages.compareAtEveryStop();
    expect(await pages.live.getByText("All is done.", { exact: true }).count()).toBe(1);
    expect(pages.compared).toBeGreaterThan(20);
  }, 180_000);

  test("of a run with a sub-agent, a failure, a rejection, a queued message and a stop gives the same page too", async () => {
    const gate = new Gate();
    const pay = tool({
      name: "pay",
      description: "Pays.",
      approval: true,
      render: () => {
        throw new Error("The preview is missing.");
      },
      execute: () => "paid",
    });
    const fail = tool({
      name: "fail",
      description: "Fails.",
      execute: async () => {
        await gate.pass();
        throw new Error("The archive is full.");
      },
    });
    const model = scriptedModel([
      {
        text: "I delegate.",
        calls: [
          { name: "task", arguments: { description: "Pay.", subagent_type: "clerk" } },
          { name: "fail" },
          { name: "pay" },
        ],
      },
      { text: "A long story." },
    ]);
    const clerk = {
      name: "clerk",
      description: "The clerk.",
      instructions: "Pay.",
      model: gated(scriptedModel([{ text: "I pay.", calls: [{ name: "pay" }] }, { text: "The clerk is done." }]), gate),
      tools: [pay],
    };
    const studio = await openStudio({
      agent: {
        model: gated(model, gate),
        tools: [fail, pay],
        middleware: [subagents({ agents: [clerk], generalPurpose: false })],
      },
    });
    onTestFinished(gate.open); // the server closes when its runs have ended
    const { id } = await studio.client.threads.create({ title: "Steps" });
    const pages = await TwoPages.open(studio, `/t/${id}#call_1/call_1`, gate); // opens the sub-agent
    const { live } = pages;
    await studio.client.threads.start.send(id, "Go.");
    await pages.compareAtEveryStop();
    await live.getByText("2 calls are pending").waitFor();
    await live.getByRole("article", { name: "Call of fail: failed" }).waitFor();
    await live.getByRole("region", { name: "Conversation of the sub-agent of task" }).getByText("I pay.").waitFor();
    await live.getByRole("list", { name: "Warnings" }).waitFor();
    await studio.client.threads.start.send(id, "And then?", { onInput: "queue" });
    await live.evaluate(() => dispatchEvent(new Event("focus"))); // a message that waits has no event
    await live.getByText("waiting until open calls have results").waitFor();
    await pages.compare();
    await studio.client.threads.start.decide(id, { call_3: { type: "reject", reason: "No." } });
    await live.getByText("1 call is pending").waitFor();
    await pages.compare();
    await studio.client.threads.start.decide(id, { "call_1/call_1": { type: "approve" } });
    await pages.compareUntil(() => live.getByText(/^A long/u).isVisible());
    await live.getByText("The clerk is done.").first().waitFor();
    await studio.client.threads.stop(id);
    await live.getByText("The run was stopped.", { exact: true }).waitFor();
    await pages.compare();
    expect(pages.compared).toBeGreaterThan(15);
  }, 180_000);
});
