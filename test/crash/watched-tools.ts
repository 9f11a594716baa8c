import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";

import { tool } from "../../packages/undangle/src/engine/index.ts";
import type { AnyTool, ToolContext } from "../../packages/undangle/src/engine/index.ts";
import { writeLine } from "./diary.ts";
import type { Visit } from "./failpoints.ts";

/** Tools that write down when they begin and when they end. */
export function watchedTools(diary: string, visit: Visit): readonly AnyTool[] {
  const begin = (
    name: string,
    args: unknown,
    { threadId: thread, callId: call, idempotencyKey: key }: ToolContext,
  ): void => {
    visit("tool:before");
    writeLine(diary, { type: "start", thread, tool: name, call, key, args });
    visit("tool:middle");
  };
  const end = (name: string, { threadId: thread, callId: call }: ToolContext): string => {
    const result = `${name} ${call} ${randomUUID()}`; // no two ends are alike, so that it shows which one was kept
    writeLine(diary, { type: "end", thread, tool: name, call, result });
    visit("tool:after");
    return result;
  };
  const taking = (name: string, milliseconds: number) => async (args: unknown, context: ToolContext) => {
    begin(name, args, context);
    const write = (text: string): Promise<void> =>
      context.files.write([{ path: filePath(context.callId), data: new TextEncoder().encode(text) }]);
    await write("begun"); // never saved, because the call has no result yet
    await pause(milliseconds);
    const result = end(name, context);
    await write(result);
    return result;
  };
  const input = {
    type: "object",
    properties: { about: { type: "string" } },
    required: ["about"],
    additionalProperties: false,
  } as const;
  return [
    tool({
      name: "note",
      description: "Writes something down, at once.",
      input,
      execute(args, context) {
        begin("note", args, context);
        const result = end("note", context);
        context.state.set(context.callId, result);
        return result;
      },
    }),
    tool({ name: "charge", description: "Takes money: once is enough.", input, execute: taking("charge", 8) }),
    tool({
      name: "fetch_page",
      description: "Reads a page, as often as one likes.",
      input,
      idempotent: true,
      execute: taking("fetch_page", 20),
    }),
    tool({ name: "slow", description: "Takes its time.", input, execute: taking("slow", 30) }),
    tool({
      name: "boom",
      description: "Fails.",
      input,
      execute(args, context) {
        begin("boom", args, context);
        throw new Error(end("boom", context));
      },
    }),
  ];
}

/** The file that a call of `charge`, `fetch_page` and `slow` writes. */
export const filePath = (callId: string): string => `/calls/${callId}`;

/** The tools that write a file. */
export const writingTools: ReadonlySet<string> = new Set(["charge", "fetch_page", "slow"]);

/** The tools that may be started again after a crash. A task resumes on its child thread. */
export const mayRunTwice: ReadonlySet<string> = new Set(["fetch_page", "task"]);

/** The tools that only run when a person says so. */
export const gatedTools = ["charge"];
