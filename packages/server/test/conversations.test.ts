import { memoryStore } from "undangle/agent";
import type { ModelRequest } from "undangle/agent";
import { afterEach, describe, expect, test, vi } from "vitest";

import type { Answered, Served, Stage } from "./serve-fixture.ts";
import {
  assistant,
  chat,
  client,
  habits,
  messageOf,
  pay,
  saidIn,
  stage,
  theirs,
  threadOf,
  threadsIn,
  user,
} from "./stateless-client.ts";
import type { Habit, Message } from "./stateless-client.ts";

afterEach(() => void vi.useRealTimers());

describe.each(Object.entries(habits))("a client that sends its whole history %s", (_, habit) => {
  test("has one thread for a conversation of five turns", async () => {
    const served = stage();
    const { say } = client(served, habit);
    const answers: Answered[] = [];
    for (const content of ["One", "please look", "Three", "Four", "Five"]) answers.push(await say(content));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(await threadsIn(served)).toBe(1);
    expect(messageOf(answers[4] as Answered).content).toBe("That was number 5.");
    const told = JSON.stringify(served.model.requests.at(-1)?.messages);
    expect(told.split("a blue house")).toHaveLength(2); // the client never knew of it
  });

  test("has one thread with tools of its own, and each result is told once", async () => {
    const served = stage();
    const { say } = client(served, habit, { tools: [theirs] });
    const answers = [await say("the weather?"), await say("Two"), await say("and the weather now?"), await say("Four")];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(await threadsIn(served)).toBe(1);
    const told = served.model.requests.at(-1)?.messages ?? [];
    expect(told.filter(({ role }) => role === "tool")).toHaveLength(2);
    expect(JSON.stringify(told).split(/30 +degrees/u)).toHaveLength(3);
  });

  test("gets the same response when it sends a request again", async () => {
    const served = stage();
    const { say, post, kept } = client(served, habit, { tools: [theirs] });
    await say("Hello");
    const answer = await say("the weather?");
    kept.pop();
    const asked = served.model.calls;
    const again = await post();
    const created: unknown = expect.any(Number); // of the run, which may begin a second after the request
    expect(again).toMatchObject({ status: 200, body: { ...answer.body, created } });
    expect([threadOf(again), served.model.calls]).toEqual([threadOf(answer), asked]);
  });
});

test("a client whose habits change with every request has one thread, and its tools get their own results", async () => {
  const names = Object.keys(habits);
  for (const [shift] of names.entries()) {
    let requests = 0;
    const changing: Habit = (messages) => {
      requests += 1;
      return habits[names[(requests * (shift + 1)) % names.length] ?? ""]?.(messages) ?? messages;
    };
    const served = stage();
    const { say } = client(served, changing, { tools: [theirs] });
    const answers: Answered[] = [];
    for (const content of ["the cities?", "Café", "the weather?", "the cities again", "Five"])
      answers.push(await say(content));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(await threadsIn(served)).toBe(1);
    const { calls } = (await served.call("GET", `/threads/${threadOf(answers[4] as Answered)}`)).body;
    const made = calls as readonly { readonly arguments: { readonly city: string } }[]; // by the tool of the test
    const wrong = made.filter(
      ({ arguments: { city }, ...rest }) => !JSON.stringify(rest).normalize("NFC").includes(city),
    );
    expect([made.length, wrong]).toEqual([5, []]);
  }
});

describe("a client that keeps only the texts", () => {
  const textsOnly: Habit = (messages) =>
    messages.filter(({ role, content }, i) => role !== "tool" && (content !== null || i === messages.length - 1));

  test("finds its thread behind tools of its own", async () => {
    const served = stage();
    const { say, kept } = client(served, undefined, { tools: [theirs] });
    await say("the weather?");
    const texts = textsOnly(kept).map(({ role, content }) => ({ role, content }));
    const next = await served.call("POST", chat, { messages: [...texts, user("Two")], tools: [theirs] });
    expect(messageOf(next).content).toBe("That was number 2.");
    expect(await threadsIn(served)).toBe(1);
    expect(JSON.stringify(served.model.requests.at(-1)?.messages)).toContain("30 degrees");
  });
});

describe("another history is another thread, and never a conflict", () => {
  const begun = async (more: object = {}) => {
    const served = stage();
    const own = client(served, undefined, more);
    await own.say("One");
    const second = await own.say("the weather?");
    return { served, ...own, second };
  };

  test.each([
    ["an earlier message is edited", 0, user("Uno")],
    ["an earlier answer is edited", 1, assistant("That was something else.")],
  ])("%s", async (_, at, edited) => {
    const { served, kept, post, second } = await begun({ tools: [theirs] });
    kept.push(user("Three"));
    kept[at] = edited;
    const answer = await post();
    expect(answer.status).toBe(200);
    expect(threadOf(answer)).not.toBe(threadOf(second));
    expect(JSON.stringify(served.model.requests.at(-1)?.messages)).toContain(String(edited.content));
  });

  test("an earlier message is edited before the result of a call", async () => {
    const served = stage();
    const first = await served.call("POST", chat, { messages: [user("the weather?")], tools: [theirs] });
    const message = messageOf(first);
    const [call] = message.tool_calls ?? [];
    const result = { role: "tool", tool_call_id: call?.id, content: "30 degrees" };
    const messages = [user("the weather in Rome?"), message, result];
    const answer = await served.call("POST", chat, { messages, tools: [theirs] });
    expect(answer.status).toBe(200);
    expect(threadOf(answer)).not.toBe(threadOf(first));
    expect(saidIn(served.model.requests.at(-1))).toContain("Rome");
  });

  test("a result comes for a call that another message has superseded", async () => {
    const served = stage();
    const first = await served.call("POST", chat, { messages: [user("the weather?")], tools: [theirs] });
    const message = messageOf(first);
    await served.call("POST", chat, { messages: [user("No.")], thread_id: threadOf(first) });
    const result = { role: "tool", tool_call_id: message.tool_calls?.[0]?.id, content: "30 degrees" };
    const late = await served.call("POST", chat, {
      messages: [user("the weather?"), message, result],
      tools: [theirs],
    });
    expect(late.status).toBe(200);
    expect(threadOf(late)).not.toBe(threadOf(first));
  });

  test("the conversation goes back to an earlier answer", async () => {
    const { kept, post, second } = await begun();
    kept.splice(2, 2, user("Zwei"));
    const branch = await post();
    expect([branch.status, messageOf(branch).content]).toEqual([200, "That was number 2."]);
    expect(threadOf(branch)).not.toBe(threadOf(second));
  });

  test("a day has passed", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const { served, say, second } = await begun();
    vi.setSystemTime(Date.now() + 25 * 60 * 60 * 1000);
    const next = await say("Three");
    expect([next.status, threadOf(next) === threadOf(second)]).toEqual([200, false]);
    expect(messageOf(next).content).toBe("That was number 3.");
    expect(await threadsIn(served)).toBe(2);
  });
});

describe("conversations that look alike are not mixed", () => {
  /** What persons have said in the conversation of every request, in its order. */
  const talks = (requests: readonly ModelRequest[]): readonly string[] => requests.map(saidIn);

  test("two clients of one key that begin with the same words", async () => {
    const served = stage();
    const [anna, ben] = [client(served), client(served)];
    await anna.say("Hi");
    await ben.say("Hi");
    await Promise.all([anna.say("I am Anna"), ben.say("I am Ben")]);
    await Promise.all([anna.say("Again"), ben.say("Again")]);
    expect(await threadsIn(served)).toBe(2);
    expect(talks(served.model.requests).filter((talk) => talk.includes("Anna") && talk.includes("Ben"))).toEqual([]);
    expect(served.model.requests.filter((each) => saidIn(each).includes("Again"))).toHaveLength(2);
  });

  test("ten clients of one key, all at once", async () => {
    const served = stage();
    const names = Array.from({ length: 10 }, (_, i) => `client ${i}.`);
    const clients = names.map(() => client(served));
    for (const content of ["Hi", undefined, "Again", "And again"])
      await Promise.all(clients.map((each, i) => each.say(content ?? `I am ${names[i]}`)));
    expect(await threadsIn(served)).toBe(10);
    const mixed = talks(served.model.requests).filter((talk) => names.filter((name) => talk.includes(name)).length > 1);
    expect(mixed).toEqual([]);
    for (const { kept } of clients) expect(kept.map(({ content }) => content)).toContain("That was number 4.");
  });

  test.each([
    [
      "another key of the project",
      async ({ app }: Served) => {
        const keys = await Promise.all(
          ["a", "b"].map((name) => app.service.keys.create({ name, scopes: ["chat"], project: "p" })),
        );
        return keys.map(({ text }) => [{}, { authorization: `Bearer ${text}` }] as const);
      },
    ],
    [
      "another user of the key",
      () =>
        Promise.resolve([
          [{ user: "anna" }, {}],
          [{ user: "ben" }, {}],
        ] as const),
    ],
  ])("%s does not find the thread", async (_, make) => {
    const served = stage();
    await served.app.ready();
    const [[body, headers] = [{}, {}], [otherBody, otherHeaders] = [{}, {}]] = await make(served);
    const own = client(served, undefined, body, headers);
    const first = await own.say("please look");
    const stranger = await served.call(
      "POST",
      chat,
      { messages: [...own.kept, user("Two")], ...otherBody },
      otherHeaders,
    );
    expect([stranger.status, threadOf(stranger) === threadOf(first)]).toEqual([200, false]);
    expect(JSON.stringify(served.model.requests.at(-1)?.messages)).not.toContain("a blue house");
    const next = await own.say("Two");
    expect(threadOf(next)).toBe(threadOf(first));
  });

  test("the same question is asked anew by a new conversation, also at once", async () => {
    const served = stage();
    const messages = [user("What time is it?")];
    const answers = await Promise.all([1, 2, 3].map(() => served.call("POST", chat, { messages })));
    expect(new Set(answers.map(threadOf)).size).toBe(3);
    expect(served.model.calls).toBe(3);
  });
});

describe("an approval", () => {
  const asked = async (more: Stage = {}) => {
    const served = stage(more);
    const own = client(served);
    const first = await own.say("please pay");
    expect(messageOf(first).content).toBe("I pay.\n\nWaiting for approval of pay (call_1).");
    return { served, ...own, first };
  };
  const queue = async ({ call }: Served): Promise<number> =>
    ((await call("GET", "/queue")).body["data"] as readonly unknown[]).length;

  test("a message while it waits comes into its thread, and supersedes the call", async () => {
    const { served, say, first } = await asked();
    const next = await say("yes, I approve");
    expect([next.status, threadOf(next)]).toEqual([200, threadOf(first)]);
    expect([await queue(served), await threadsIn(served)]).toEqual([0, 1]);
  });

  test("with onInput `queue` it waits with the call", async () => {
    const { served, say, post, kept, first } = await asked({ agent: { tools: [pay], onInput: "queue" } });
    const next = await say("yes, I approve");
    expect(next).toMatchObject({ status: 200, body: { undangle: { thread_id: threadOf(first), status: "waiting" } } });
    kept.pop();
    expect((await post()).body["choices"]).toEqual(next.body["choices"]); // it is not said twice
    await served.call("POST", `/threads/${threadOf(first)}/decisions?wait=true`, { all: "approve" });
    expect(saidIn(served.model.requests.at(-1)).split("yes, I approve")).toHaveLength(2);
  });

  test("with onInput `refuse` it is refused, and the call still waits", async () => {
    const { served, say } = await asked({ agent: { tools: [pay], onInput: "refuse" } });
    expect(await say("yes, I approve")).toMatchObject({ status: 409, body: { error: { code: "thread/busy" } } });
    expect([await queue(served), await threadsIn(served)]).toEqual([1, 1]);
  });

  test("after it the conversation goes on in its thread, though the client does not know what came of it", async () => {
    const { served, say, first } = await asked();
    await served.call("POST", `/threads/${threadOf(first)}/decisions?wait=true`, { all: "approve" });
    const next = await say("Thank you");
    expect([next.status, threadOf(next), await threadsIn(served)]).toEqual([200, threadOf(first), 1]);
    expect(JSON.stringify(served.model.requests.at(-1)?.messages)).toContain("paid");
  });

  test("the title of a conversation that quotes it is made without tools", async () => {
    const { served } = await asked();
    const quoted = "USER: please pay\nASSISTANT: Waiting for approval of pay (call_1).";
    const task = `### Task:\nGenerate a concise, 3-5 word title.\n### Chat History:\n<chat_history>\n${quoted}\n</chat_history>`;
    const title = await served.call("POST", chat, { messages: [user(task)] });
    expect(title.status).toBe(200);
    expect([served.model.requests.at(-1)?.tools, await queue(served)]).toEqual([[], 1]);
  });
});

test("a conversation is found after a restart", async () => {
  const store = memoryStore();
  const before = stage({ options: { store } });
  const own = client(before);
  const first = await own.say("please look");
  await before.app.close();
  const served = stage({ options: { store } });
  const next = await served.call("POST", chat, { messages: [...own.kept, user("Two")] });
  expect([next.status, threadOf(next)]).toEqual([200, threadOf(first)]);
});

describe("a thread that is named", () => {
  test("gives the same response again to the same history, and refuses another", async () => {
    const served = stage();
    await served.call("POST", "/threads", { id: "t" });
    const own = client(served, undefined, { thread_id: "t" });
    await own.say("One");
    const second = await own.say("Two");
    own.kept.pop();
    expect((await own.post()).body).toEqual(second.body);
    own.kept[0] = user("Uno");
    expect(await own.post()).toMatchObject({
      status: 409,
      body: { error: { code: "history-conflict", param: "messages" } },
    });
  });

  test("takes the same message twice where no history says that it is the same", async () => {
    const served = stage();
    await served.call("POST", "/threads", { id: "t" });
    const next = (): Promise<Answered> => served.call("POST", chat, { thread_id: "t", messages: [user("Next")] });
    expect([messageOf(await next()).content, messageOf(await next()).content]).toEqual([
      "That was number 1.",
      "That was number 2.",
    ]);
  });

  test("takes results that are sent again with others", async () => {
    const served = stage({
      turns: [
        ({ messages }) =>
          messages.at(-1)?.role === "user"
            ? {
                calls: [
                  { name: "weather", arguments: { n: 1 } },
                  { name: "weather", arguments: { n: 2 } },
                ],
              }
            : { text: "Warm." },
      ],
    });
    const first = await served.call("POST", chat, { messages: [user("the weather?")], tools: [theirs] });
    const message = messageOf(first);
    const results = (message.tool_calls ?? []).map(({ id }, i) => ({
      role: "tool",
      tool_call_id: id,
      content: `${30 + i}`,
    }));
    const send = (some: readonly Message[]): Promise<Answered> =>
      served.call("POST", chat, { messages: [user("the weather?"), message, ...some], tools: [theirs] });
    const half = await send(results.slice(0, 1));
    expect(messageOf(half).tool_calls).toHaveLength(1);
    expect((await send(results.slice(0, 1))).body).toEqual(half.body);
    const whole = await send(results);
    expect([whole.status, threadOf(whole), messageOf(whole).content]).toEqual([200, threadOf(first), "Warm."]);
  });
});
