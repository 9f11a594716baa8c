import { causes, languages, renderNotice } from "#core";
import { tool } from "#engine";
import fc from "fast-check";
import { expect, test } from "vitest";

import type { ModelToolChoice } from "../model.ts";
import { requestOf, tools } from "./conversation.fixture.ts";
import type { Said } from "./conversation.fixture.ts";
import { replyTo } from "./reply.ts";

const now = Date.UTC(2026, 4, 3);
const all = Object.values(tools);
const checked = new Map(
  all.map(({ name, schema }) => [name, tool({ name: "any", description: "Any.", input: schema, execute: () => "" })]),
);

const words =
  "read my mail pay invoice 12 and then delete the old one 300 euros to ACME bob@example.com what time is it in Paris, Berlin. " +
  'weather 看看邮件 然后 给张三转账300元 ， 北京和上海 天气 不要删除 现在几点 yes again 继续 算了 make it 20 "a b" notes.txt : ; ? 😀 ' +
  "turn it off the same add 2 plus 3 subtract from 四点 下午三点 那广州呢 and in Oslo? what about dollars € 从北京到上海 两本书 with Ann";
const message = fc.oneof(
  fc.array(fc.constantFrom(...words.split(" ")), { maxLength: 14 }).map((each) => each.join(" ")),
  fc.string({ unit: "grapheme", maxLength: 40 }),
);

const result = fc.oneof(
  fc.constantFrom("", "ok", '{"id":"m1","amount":3}', "`id` must be at least 5", "18:00", 'invalid `to`: expected "x"'),
  fc.string({ unit: "grapheme" }),
  fc
    .tuple(fc.constantFrom(...causes), fc.constantFrom(...languages))
    .map(([cause, language]) => renderNotice({ id: "c1", name: "transfer", reason: "no" }, cause, { language })),
);

const said: fc.Arbitrary<Said> = fc.oneof(
  message,
  message.map((answer) => ({ answer })),
  fc
    .array(
      fc.record({ name: fc.constantFrom(...all.map(({ name }) => name), "gone"), result, isError: fc.boolean() }),
      {
        minLength: 1,
        maxLength: 3,
      },
    )
    .map((calls) => ({ calls })),
);

const choice = fc.constantFrom<ModelToolChoice | undefined>(
  "auto",
  "none",
  "required",
  { tool: "search" },
  { tool: "gone" },
  undefined,
);

test("whatever the conversation, it says something, and what it calls fits", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(said, { maxLength: 8 }),
      fc.subarray(all),
      choice,
      fc.constantFrom(...languages),
      async (conversation, offered, toolChoice, language) => {
        const request = requestOf(conversation, { tools: offered, toolChoice, language });
        const { text, calls } = replyTo(request, now);
        expect(text).not.toBe("");
        expect(text).not.toMatch(
          /undefined|NaN|\[object/u.test(JSON.stringify(conversation)) ? /^$/u : /undefined|NaN|\[object/u,
        );
        expect(calls.length === 0 || toolChoice !== "none").toBe(true);
        for (const { name, arguments: args } of calls) {
          expect(offered.map((each) => each.name)).toContain(name);
          expect(await checked.get(name)?.validate(args)).toMatchObject({ ok: true });
        }
        expect(replyTo(request, now)).toEqual({ text, calls });
      },
    ),
  );
});

test("a long message, long results and many tools take no time", () => {
  const long = "read my mail and pay 12 euros, ".repeat(20_000);
  const results = { calls: [{ name: "read_mail", result: "x ".repeat(200_000) }] };
  const many = Array.from({ length: 200 }, (_, i) => ({ ...tools.search, name: `search_${i}` }));
  const start = performance.now();
  replyTo(requestOf([long, results, long], { tools: many }), now);
  expect(performance.now() - start).toBeLessThan(3000);
});

test.each([
  " ",
  "1",
  "1,",
  "a@",
  "“",
  '"',
  "/a",
  "(1+",
  "A ",
  "to ",
  "再",
  "和北京",
  "mail 1.",
  "add 1 and ",
  "1、",
  "1 plus ",
  "从北京",
  "到上海",
  "两本书",
  "with A and ",
  "1 pens ",
  "三点",
  "开",
  "saying ",
])("a message of nothing but %j takes no time either", (piece) => {
  const long = `send a mail and search and pay ${piece.repeat(60_000 / piece.length)} and read my mail`;
  const conversation = [long, { calls: [{ name: "read_mail", result: long }] }, long];
  const system = [{ type: "text", path: "", text: long }] as const;
  const start = performance.now();
  replyTo(requestOf(conversation, { system }), now);
  expect(performance.now() - start).toBeLessThan(3000);
});
