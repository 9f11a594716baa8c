import { UndangleError } from "#core";
import { createAgent, tool } from "#engine";
import { fallback } from "#model";
import type { Model, ModelPart, ModelRequest, ModelStream } from "#model";
import { memoryStore } from "#store";
import { scriptedModel } from "#testing";
import type { ScriptedAnswer } from "#testing";
import { describe, expect, test } from "vitest";

import { faultsOf } from "../engine/health.ts";
import { eventsOf } from "../engine/recorded.ts";

const request = (given: Partial<ModelRequest> = {}): ModelRequest => ({
  system: [],
  messages: [],
  tools: [],
  knownIds: [],
  language: "en",
  signal: new AbortController().signal,
  ...given,
});

const said = (name: string, ...turns: readonly ScriptedAnswer[]): ReturnType<typeof scriptedModel> =>
  scriptedModel(turns, { name });

const fault = (
  code: "model/rate-limit" | "model/refused" | "model/content-filter" | "model/context-overflow",
  more = {},
) => new UndangleError(code, { model: "a", message: "no", canRetry: true, ...more });

/** A model that fails with an error, after it has said something or at once. */
function failing(name: string, error: unknown, words = ""): Model & { readonly asked: () => number } {
  let asked = 0;
  const inner = scriptedModel([{ text: words }], { name, loop: true });
  return {
    name,
    asked: () => asked,
    stream(given): ModelStream {
      asked++;
      const stream = inner.stream(given);
      return {
        turn: () => Promise.reject(error),
        async *[Symbol.asyncIterator]() {
          for await (const part of stream) if (part.type === "text-delta") yield part;
          throw error;
        },
      };
    },
  };
}

async function heard(stream: ModelStream): Promise<readonly ModelPart[]> {
  const parts: ModelPart[] = [];
  for await (const part of stream) parts.push(part);
  return parts;
}

const wordsOf = async (stream: ModelStream): Promise<string> =>
  (await heard(stream))
    .map((part) => (part.type === "text-delta" ? part.text : part.type === "discarded" ? `<${part.reason}>` : ""))
    .join("");

const errorOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

describe("fallback", () => {
  test("asks the first model, and nobody else, while it answers", async () => {
    const [a, b] = [said("a", { text: "A." }), said("b", { text: "B." })];
    const model = fallback(a, b);
    const stream = model.stream(request());
    expect(model.name).toBe("a → b");
    expect(await wordsOf(stream)).toBe("A.");
    expect(await stream.turn()).toMatchObject({ text: "A.", finish: "stop" });
    expect(stream.model).toBe("a");
    expect(b.calls).toBe(0);
  });

  test("asks the next one when one fails before it says anything", async () => {
    const a = failing("a", fault("model/rate-limit"));
    const stream = fallback(a, said("b", { text: "B." })).stream(request());
    expect(await wordsOf(stream)).toBe("<The model a is rate-limited: no. Falling back to b.>B.");
    expect(await stream.turn()).toMatchObject({ text: "B." });
    expect(stream.model).toBe("b");
  });

  test("asks the next one in the middle of an answer, which begins anew", async () => {
    const a = failing("a", new TypeError("terminated"), "Half");
    const stream = fallback(a, said("b", { text: "Whole." })).stream(request({ language: "zh" }));
    expect(await wordsOf(stream)).toBe("Half<a: terminated。改由 b 回答。>Whole.");
    expect(await stream.turn()).toMatchObject({ text: "Whole." });
  });

  test.each(["cut", "cut-quietly", "error-in-stream"] as const)("asks the next one after %s", async (name) => {
    const a = said("a", { text: "Half", calls: [{ name: "pay", arguments: { to: "Bob" } }], faults: [name] });
    const stream = fallback(a, said("b", { text: "Whole." })).stream(request());
    await heard(stream);
    expect(await stream.turn()).toMatchObject({ text: "Whole.", calls: [] });
  });

  test("asks the next one when one says itself that it failed, and takes that of the last one as it is", async () => {
    const erring = (name: string): Model => ({
      name,
      stream(given): ModelStream {
        const stream = said(name, { text: "Hm." }).stream(given);
        const turn: ModelStream["turn"] = async () => ({ ...(await stream.turn()), finish: "error", complete: false });
        return { turn, [Symbol.asyncIterator]: () => stream[Symbol.asyncIterator]() };
      },
    });
    const good = fallback(erring("a"), said("b", { text: "B." })).stream(request());
    expect(await wordsOf(good)).toBe("Hm.<The model a failed: its response ended with an error. Falling back to b.>B.");
    const bad = fallback(failing("a", new Error("down")), erring("b")).stream(request());
    expect(await bad.turn()).toMatchObject({ text: "Hm.", finish: "error" });
  });

  test("gives the whole answer also to those who do not listen", async () => {
    const model = fallback(failing("a", new Error("down")), said("b", { text: "B." }));
    expect(await model.stream(request()).turn()).toMatchObject({ text: "B." });
  });

  test("throws what the models threw: one by its code, several of one code by that", async () => {
    const one = fault("model/rate-limit", { retryAfter: 5 });
    expect(await errorOf(fallback(failing("a", one)).stream(request()).turn())).toBe(one);
    const both = await errorOf(fallback(failing("a", one), failing("b", one)).stream(request()).turn());
    expect(both).toMatchObject({ code: "model/rate-limit", data: { retryAfter: 5 }, cause: { errors: [one, one] } });
  });

  test("says of different failures what each of them was", async () => {
    const [one, other] = [fault("model/rate-limit"), new Error("down")];
    const stream = fallback(failing("a", one), failing("b", other)).stream(request());
    expect(await errorOf(heard(stream))).toMatchObject({
      code: "model/failed",
      message: "The model a → b failed: a: no; b: down",
      cause: { errors: [one, other] },
    });
    expect(await errorOf(stream.turn())).toMatchObject({ code: "model/failed" });
  });

  test("says that the conversation is too long when one of them did: that can be helped", async () => {
    const models = [failing("a", fault("model/context-overflow")), failing("b", new Error("down"))];
    expect(
      await errorOf(
        fallback(...models)
          .stream(request())
          .turn(),
      ),
    ).toMatchObject({
      code: "model/context-overflow",
    });
  });

  test("does not ask others for what was filtered, unless it is told to", async () => {
    const filtered = fault("model/content-filter");
    const b = said("b", { text: "B." });
    expect(await errorOf(fallback(failing("a", filtered), b).stream(request()).turn())).toBe(filtered);
    expect(b.calls).toBe(0);
    const asked: unknown[] = [];
    const when = (error: unknown, model: Model): boolean => asked.push(error, model.name) > 0;
    expect(await fallback(failing("a", filtered), b, { when }).stream(request()).turn()).toMatchObject({ text: "B." });
    expect(asked).toEqual([filtered, "a"]);
  });

  test("does not ask others for a mistake of the program", async () => {
    const mistake = new UndangleError("options/unknown", { option: "x", allowed: [] });
    expect(await errorOf(fallback(failing("a", mistake), said("b", {})).stream(request()).turn())).toBe(mistake);
  });

  test("asks nobody when it is aborted", async () => {
    const controller = new AbortController();
    const a: Model = {
      name: "a",
      stream: () => ({
        turn: () => Promise.reject(new Error("unused")),
        async *[Symbol.asyncIterator]() {
          controller.abort(new Error("stopped"));
          controller.signal.throwIfAborted();
          yield* [];
        },
      }),
    };
    const b = said("b", { text: "B." });
    const stream = fallback(a, b).stream(request({ signal: controller.signal }));
    expect(await errorOf(heard(stream))).toMatchObject({ message: "stopped" });
    expect(b.calls).toBe(0);
  });

  test("takes ids that can be read only once", async () => {
    const script = { calls: [{ id: "taken", name: "pay" }] };
    const ids = ["taken"].values();
    const model = fallback(failing("a", new Error("down")), said("b", script));
    const { calls } = await model.stream(request({ knownIds: ids })).turn();
    expect(calls[0]?.id).not.toBe("taken");
  });

  test("takes another fallback as a model, and names the one that answered", async () => {
    const inner = fallback(failing("b", new Error("down")), said("c", { text: "C." }));
    const stream = fallback(failing("a", new Error("down")), inner).stream(request());
    expect((await stream.turn()).text).toBe("C.");
    expect(stream.model).toBe("c");
  });
});

describe("a model that failed", () => {
  test("rests for a while, and is asked last", async () => {
    let at = 0;
    const a = failing("a", fault("model/rate-limit"));
    const b = scriptedModel([{ text: "B." }], { name: "b", loop: true });
    const model = fallback(a, b, { coolDown: 1000, now: () => at });
    const ask = async (): Promise<string> => (await model.stream(request()).turn()).text;
    expect([await ask(), await ask(), a.asked()]).toEqual(["B.", "B.", 1]);
    at = 1000;
    expect([await ask(), a.asked()]).toEqual(["B.", 2]);
  });

  test("rests as long as its provider says, when that is longer", async () => {
    let at = 0;
    const a = failing("a", fault("model/rate-limit", { retryAfter: 5000 }));
    const b = scriptedModel([{ text: "B." }], { name: "b", loop: true });
    const model = fallback(a, b, { coolDown: 1000, now: () => at });
    await model.stream(request()).turn();
    at = 4999;
    await model.stream(request()).turn();
    expect(a.asked()).toBe(1);
  });

  test("is asked all the same when the others fail too", async () => {
    const a = failing("a", new Error("down"));
    const model = fallback(a, said("b", { text: "B." }), { now: () => 0 });
    expect((await model.stream(request()).turn()).text).toBe("B.");
    expect(await errorOf(model.stream(request()).turn())).toBeInstanceOf(UndangleError); // b has no more to say
    expect(a.asked()).toBe(2);
  });

  test.each(["model/refused", "model/context-overflow"] as const)("does not rest after %s", async (code) => {
    const a = failing("a", fault(code));
    const b = scriptedModel([{ text: "B." }], { name: "b", loop: true });
    const model = fallback(a, b);
    await model.stream(request()).turn();
    await model.stream(request()).turn();
    expect(a.asked()).toBe(2);
  });

  test("never rests with a cool-down of 0", async () => {
    const a = failing("a", new Error("down"));
    const model = fallback(a, scriptedModel([{ text: "B." }], { loop: true }), { coolDown: 0 });
    await model.stream(request()).turn();
    await model.stream(request()).turn();
    expect(a.asked()).toBe(2);
  });
});

describe("wrong input of fallback", () => {
  const model = said("a", {});
  test.each<readonly [string, readonly unknown[], string]>([
    ["no model", [], "options/value"],
    ["options alone", [{ coolDown: 1 }], "options/value"],
    ["something that is no model", [model, "gpt-5"], "options/value"],
    ["a list of models", [[model]], "options/value"],
    ["nothing in the place of a model", [undefined, model], "options/value"],
    ["an option that does not exist", [model, { cooldown: 1 }], "options/unknown"],
    ["a time that is none", [model, { coolDown: -1 }], "options/value"],
    ["a when that is no function", [model, { when: true }], "options/value"],
  ])("%s is refused", (_, given, code) => {
    const make = fallback as (...models: readonly unknown[]) => Model; // as programs without types call it
    expect(() => make(...given)).toThrow(expect.objectContaining({ code }));
  });
});

describe("an agent on a fallback", () => {
  const pay = tool({ name: "pay", description: "Pays.", execute: () => "paid" });

  test("goes on with the other model, and says who answered", async () => {
    const store = memoryStore();
    const first = said("first", { text: "I pay.", calls: [{ name: "pay" }] }, { text: "Don", faults: ["cut"] });
    const second = said("second", { text: "Paid." }, { text: "Hello." });
    const thread = createAgent({ model: fallback(first, second), tools: [pay], store }).thread("t");
    const run = thread.send("Pay.");
    expect(await run.result).toMatchObject({ status: "done", text: "Paid." });
    const events = await eventsOf(run);
    const named = events.filter(({ type }) => type === "model_start" || type === "model_end");
    expect(named.map(({ data }) => ("model" in data ? data.model : undefined))).toEqual([
      "first → second",
      "first",
      "first → second",
      "second",
    ]);
    expect(events.filter(({ type }) => type === "model_discarded")).toHaveLength(1);
    expect(await faultsOf(store, [...first.requests, ...second.requests])).toEqual([]);
    const { entries } = (await thread.export()) as unknown as { readonly entries?: readonly unknown[] };
    expect(JSON.stringify(entries ?? (await thread.export()))).toMatch(/"model":"first".*"model":"second"/u);
    expect((await thread.send("Hello.").result).text).toBe("Hello.");
  });

  test("fails with what all of them said, and can be asked again", async () => {
    const model = fallback(
      said("a", { error: { status: 429, message: "slow down" } }, { text: "Here." }),
      said("b", { error: { status: 500, message: "oops" } }),
    );
    const thread = createAgent({ model }).thread("t");
    const end = await thread.send("Hi.").result;
    expect(end).toMatchObject({ status: "failed", error: { code: "model/failed" } });
    expect(end.error?.message).toContain("a: slow down; b: oops");
    expect((await thread.regenerate().result).text).toBe("Here.");
  });
});
