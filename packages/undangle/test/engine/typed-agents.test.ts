import { type } from "arktype";
import { expect, expectTypeOf, test } from "vitest";
import { z } from "zod";

import { createAgent, tool } from "../../src/middleware/public-names.ts";
import type {
  Agent,
  AgentOptions,
  ApprovalRule,
  HookContext,
  Middleware,
  Run,
  RunEnd,
  Thread,
} from "../../src/middleware/public-names.ts";
import { scriptedModel } from "#testing";
import type { UndangleError } from "#core";

const model = scriptedModel([{ calls: [{ name: "final_answer", arguments: { sum: 3, unit: "EUR" } }] }], {
  loop: true,
});

const jsonSchema = {
  type: "object",
  properties: { sum: { type: "number" }, unit: { enum: ["EUR", "USD"] } },
  required: ["sum"],
} as const;

test("the output of a run is typed by the option output, whatever kind of schema it is", async () => {
  const ofZod = createAgent({ model, output: z.object({ sum: z.number(), unit: z.string().optional() }) });
  const ofArktype = createAgent({ model, output: type({ sum: "number" }) });
  const ofJson = createAgent({ model, output: jsonSchema });
  const inPlace = createAgent({
    model,
    output: { type: "object", properties: { sum: { type: "number" } }, required: ["sum"] },
  });
  const without = createAgent({ model });

  expectTypeOf(ofZod).toEqualTypeOf<Agent<{ sum: number; unit?: string | undefined }>>();
  expectTypeOf(ofArktype).toEqualTypeOf<Agent<{ sum: number }>>();
  expectTypeOf(ofJson).toEqualTypeOf<Agent<{ sum: number; unit?: "EUR" | "USD" }>>();
  expectTypeOf(inPlace).toEqualTypeOf<Agent<{ sum: number }>>();
  expectTypeOf(without).toEqualTypeOf<Agent<undefined>>();
  expectTypeOf(ofZod).toExtend<Agent>();

  const end = await ofJson.thread("t").send("Add up.").result;
  if (end.status !== "done") throw new Error("It should be done.");
  expectTypeOf(end.output).toEqualTypeOf<{ sum: number; unit?: "EUR" | "USD" }>();
  expect(end.output.sum + 1).toBe(4);
  expectTypeOf(ofJson.thread().approveAll()).toEqualTypeOf<Run<{ sum: number; unit?: "EUR" | "USD" }>>();
  expectTypeOf(ofJson.recover()).resolves.toExtend<readonly Run<{ sum: number }>[]>();
});

test("options that are put together elsewhere make an agent of whatever output", () => {
  const options: AgentOptions = { model };
  expectTypeOf(createAgent(options)).toEqualTypeOf<Agent>();
  expectTypeOf(createAgent({ ...options, instructions: "Be brief." }).thread()).toEqualTypeOf<Thread>();
});

test("the end of a run is told apart by its status", () => {
  const read = (end: RunEnd<{ sum: number }>): unknown => {
    switch (end.status) {
      case "done":
        expectTypeOf(end.output).toEqualTypeOf<{ sum: number }>();
        expectTypeOf(end.error).toEqualTypeOf<undefined>();
        return end.output.sum;
      case "waiting":
        return end.pending.map(({ id }) => id);
      case "stopped":
        expectTypeOf(end.error).toEqualTypeOf<UndangleError | undefined>();
        return end.error?.code;
      case "failed":
        expectTypeOf(end.error).toEqualTypeOf<UndangleError>();
        return end.error.is("model/failed") ? end.error.data.model : end.error.code;
    }
  };
  const destructured = ({ status, text, output, error, pending, usage }: RunEnd): unknown[] => {
    expectTypeOf(error).toEqualTypeOf<UndangleError | undefined>();
    expectTypeOf(output).toEqualTypeOf<unknown>();
    return [status, text, pending, usage.totalTokens];
  };
  expect([read, destructured]).toHaveLength(2);
});

test("when of a tool knows what its model proposes, before anything is made of it", () => {
  const named = { name: "pay", description: "Pays.", execute: () => 1 };
  tool({
    ...named,
    input: z.object({ amount: z.string().transform(Number), to: z.string().default("me") }),
    approval: {
      when: ({ arguments: args }) => {
        expectTypeOf(args).toEqualTypeOf<{ amount: string; to?: string | undefined }>();
        return true;
      },
    },
  });
  const pay = tool({
    ...named,
    input: { type: "object", properties: { amount: { type: "number" } }, required: ["amount"] },
    approval: { when: ({ arguments: { amount } }) => amount > 100, expiresAfter: 1000 },
  });
  expectTypeOf(createAgent({ model, tools: [pay] })).toEqualTypeOf<Agent<undefined>>();
});

test("when of a rule knows the call, and has to look at its arguments itself", () => {
  const rule: ApprovalRule = { tools: "*", when: ({ arguments: { amount } }) => Number(amount) > 100 };
  expectTypeOf<Parameters<NonNullable<ApprovalRule["when"]>>[0]["arguments"]>().toEqualTypeOf<
    Readonly<Record<string, unknown>>
  >();
  expect(createAgent({ model, approvals: [rule] }).store).toBeDefined();
});

test("middleware can be written down with its types", () => {
  const note = ({ runId }: HookContext): void => void runId;
  const middleware: Middleware = {
    name: "notes",
    beforeAgent: note,
    beforeModel: (request) => ({ ...request, toolChoice: "none" }),
    wrapModelCall: (next) => (request) => next(request),
    wrapToolCall: (next) => (call) => (call.tool.name === "forbidden" ? "No." : next(call)),
    afterAgent({ status }) {
      expectTypeOf(status).toEqualTypeOf<"done" | "waiting" | "stopped" | "failed">();
    },
  };
  expect(createAgent({ model, middleware: [middleware] }).store).toBeDefined();
});
