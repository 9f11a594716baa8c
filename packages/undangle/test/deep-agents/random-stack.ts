import type { AgentOptions, Middleware } from "#engine";
import { memoryFiles } from "#files";
import type { FileBackend } from "#files";
import {
  filesystem,
  memory,
  patchToolCalls,
  promptCaching,
  reduction,
  skills,
  subagents,
  summarization,
  todos,
} from "#middleware";
import fc from "fast-check";

import { families } from "../models/families.ts";
import type { Family } from "../models/families.ts";

/** The stack of an agent, and the model that it asks. */
export interface Stack {
  readonly family: Family;
  readonly language: NonNullable<AgentOptions["language"]>;
  /** In the order of the agent. */
  readonly names: readonly MiddlewareName[];
  /** Of its sub-agents. */
  readonly inner: readonly MiddlewareName[];
  /** True if files are in one backend for all threads, and not in the thread. */
  readonly hasBackend: boolean;
  /** The messages at which old ones are reduced, and at which they are summarized. */
  readonly reduceAt: number;
  readonly summarizeAt: number;
  readonly hasTool: boolean;
  /** What a sub-agent asks of people in place of the rules of its parent. */
  readonly hasOwnApprovals: boolean;
}

type MiddlewareName = keyof ReturnType<typeof makers>;

const names = [
  "todos",
  "memory",
  "skills",
  "filesystem",
  "subagents",
  "reduction",
  "summarization",
  "promptCaching",
  "patchToolCalls",
] as const;

/** Any subset in any order. Half of them are in the order of `createDeepAgent()`. */
const someNames = (from: readonly MiddlewareName[]): fc.Arbitrary<readonly MiddlewareName[]> => {
  const minLength = Math.floor(from.length / 2);
  return fc.oneof(fc.subarray([...from], { minLength }), fc.shuffledSubarray([...from], { minLength }));
};

export const stacks: fc.Arbitrary<Stack> = fc.record({
  family: fc.constantFrom(...families),
  language: fc.constantFrom("en", "zh"),
  names: someNames(names),
  inner: someNames(names.filter((name) => name !== "subagents")),
  hasBackend: fc.boolean(),
  reduceAt: fc.integer({ min: 3, max: 8 }),
  summarizeAt: fc.integer({ min: 4, max: 12 }),
  hasTool: fc.boolean(),
  hasOwnApprovals: fc.boolean(),
});

/** Files that all processes share. */
export async function sharedFiles(): Promise<FileBackend> {
  const files = memoryFiles();
  const text = "---\nname: sums\ndescription: Adds numbers.\n---\nAdd the numbers.";
  await files.write("/skills/sums/SKILL.md", new TextEncoder().encode(text));
  return files;
}

/** The middleware of a stack for a new process. */
export function createStack(stack: Stack, shared: FileBackend): readonly Middleware[] {
  const files = stack.hasBackend ? shared : undefined;
  const made = makers(stack, files);
  return stack.names.map((name) => made[name]());
}

/** Small sizes, so that everything happens in a short conversation. */
function makers(stack: Stack, files: FileBackend | undefined) {
  const { inner, reduceAt, summarizeAt, hasTool, hasOwnApprovals } = stack;
  const defaults = (): readonly Middleware[] => {
    const made = makers(stack, files);
    return inner.map((name) => made[name]());
  };
  return {
    todos: () => todos(),
    memory: () => memory({ sources: ["/AGENTS.md"], files, limit: 200 }),
    skills: () => skills({ sources: ["/skills"], files }),
    filesystem: () => filesystem({ backend: files, evict: { tokens: 100 }, evictMessages: { tokens: 100 } }),
    subagents: (): Middleware =>
      subagents({
        defaults,
        agents: [
          {
            name: "helper",
            description: "Helps.",
            instructions: "You help.",
            ...(hasOwnApprovals && { approvals: [{ tools: ["quick"] }] }),
          },
        ],
      }),
    reduction: () =>
      reduction({
        files,
        trigger: { messages: reduceAt },
        keep: { messages: 2 },
        arguments: { over: 520 },
        results: { over: 500 },
      }),
    summarization: () =>
      summarization({ files, trigger: { messages: summarizeAt }, keep: { messages: 2 }, tool: hasTool }),
    promptCaching: () => promptCaching(),
    patchToolCalls: () => patchToolCalls(),
  };
}
