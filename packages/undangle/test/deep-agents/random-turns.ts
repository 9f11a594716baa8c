import { isRecord } from "#core";
import type { ScriptedCall, ScriptedTurn, WireRequest } from "#testing";

type Make = (dice: number) => ScriptedCall["arguments"];

const pathOf = (dice: number): string => ["/notes.md", "/AGENTS.md", "/a/b.txt", "/none"][dice % 4] ?? "/";
const longText = (dice: number): string => `line ${dice} of a long text\n`.repeat(60);

/** Arguments for each tool that an agent can have. */
const argumentsFor: Readonly<Record<string, Make>> = {
  write_todos: (dice) => ({
    todos: [
      { content: `step ${dice % 7}`, status: dice % 2 === 0 ? "pending" : "completed" },
      { content: "the rest", status: "in_progress" },
    ],
  }),
  ls: () => ({ path: "/" }),
  read_file: (dice) => ({ file_path: pathOf(dice) }),
  write_file: (dice) => ({ file_path: pathOf(dice), content: dice % 3 === 0 ? longText(dice) : `short ${dice}` }),
  edit_file: (dice) => ({ file_path: pathOf(dice), old_string: "short", new_string: longText(dice) }),
  delete: (dice) => ({ file_path: pathOf(dice) }),
  glob: () => ({ pattern: "**/*.md" }),
  grep: () => ({ pattern: "short" }),
  task: (dice) => ({
    description: `Task ${dice}${dice % 5 === 0 ? longText(dice) : ""}`,
    subagent_type: dice % 2 === 0 ? "general-purpose" : "helper",
  }),
  compact_conversation: () => ({}),
  fetch: (dice) => ({ page: dice % 10 }),
};

/** Tools that agents choose more often than others. */
const favorites = ["task", "task", "slow", "pay", "pay", "write_file", "read_file", "long", "long"];

/** A response to a request of any format, by a number: text, or calls of tools that it offers. */
export function randomTurn({ body }: Pick<WireRequest, "body">, number: number): ScriptedTurn {
  const offered = toolNames(body);
  const thought = number % 5 === 0 ? { reasoning: "Let me think." } : {};
  if (offered.length === 0) return number % 6 === 0 ? { text: "" } : { text: `A summary, ${number % 100}.` };
  if (number % 3 === 0) return { ...thought, text: `Response ${number}.` };
  const preferred = favorites.filter((name) => offered.includes(name));
  const calls = Array.from({ length: 1 + ((number >>> 3) % 4) }, (_, i): ScriptedCall => {
    const dice = mixed(number + i);
    const from = dice % 2 === 0 && preferred.length > 0 ? preferred : offered;
    const name = dice % 23 === 0 ? "unknown" : (from[(dice >>> 4) % from.length] ?? "quick");
    return { name, arguments: argumentsFor[name]?.(dice >>> 9) ?? {} };
  });
  return { ...thought, text: number % 2 === 0 ? "I look." : "", calls };
}

/** The names of the tools in a request of any format. */
export function toolNames(body: WireRequest["body"]): readonly string[] {
  const tools = Array.isArray(body["tools"]) ? (body["tools"] as readonly unknown[]) : [];
  return tools.flatMap((each) => {
    const { functionDeclarations: list, function: inner, name } = isRecord(each) ? each : {};
    const described: readonly unknown[] = Array.isArray(list) ? list : [inner ?? { name }];
    return described.flatMap((one) => (isRecord(one) && typeof one["name"] === "string" ? [one["name"]] : []));
  });
}

/** A number that looks random and follows from another one. */
export function mixed(number: number): number {
  let bits = Math.imul(number ^ 0x9e3779b9, 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}
