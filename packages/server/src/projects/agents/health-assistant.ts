import type { Language } from "undangle";
import { filesystem, subagents, todos, tool } from "undangle/agent";
import type { AnyTool, Middleware } from "undangle/agent";
import { demoAgent } from "undangle/config";
import type { AgentConfig, Config } from "undangle/config";

/**
 * The config of a server without a config file: a persona that reports the time, and the agents of the terminal chat
 * with and without `--deep`, some of whose calls need approval. Threads of that chat can be continued here.
 */
export function firstConfig(timeZone: string, language: Language): Config {
  const { instructions = "", tools, approvals } = demoAgent(language);
  return {
    agent: "health_assistant",
    agents: { deep: deepAgent(language) },
    personas: [
      {
        id: "health_assistant",
        name: "Health assistant / 健康助手",
        instructions:
          "You are a friendly health assistant. Reply in the user's language, briefly and clearly. You give general advice and no diagnosis. " +
          "你是一位友善的健康助手。请使用对方的语言，简明扼要地回答。你提供一般性建议，不做诊断。",
      },
      { id: "demo", name: "Simulated mail and invoices / 模拟邮件与发票", instructions, tools, approvals },
    ],
    ...firstTools(timeZone),
  };
}

/** The agent of `chat --deep` without files of a directory. Its changes to files, and those of its sub-agents, need approval. */
function deepAgent(language: Language): AgentConfig {
  const stack = (): readonly Middleware[] => [
    todos(),
    filesystem({ permissions: [{ operations: ["write"], paths: ["/**"], mode: "ask" }] }),
  ];
  return {
    tools: [],
    middleware: [...stack(), subagents({ defaults: stack })],
    instructions: {
      en: "You plan work that takes many steps with write_todos, keep notes in files, and delegate parts of it with task.",
      zh: "你用 write_todos 规划需要多个步骤的工作，把笔记保存在文件中，并用 task 委派其中的部分。",
    }[language],
  };
}

/** The tools of a config without tools. */
export const firstTools = (timeZone: string): Config => ({ tools: [getTime(timeZone)] });

/** The agent of a config without agents. */
export const plainAssistant: AgentConfig = { name: "assistant", instructions: "You are a helpful assistant." };

const getTime = (standard: string): AnyTool =>
  tool({
    name: "gettime",
    description: `Returns the current date and time (what time is it, 现在几点钟). 获取当前日期和时间。 Time zone: ${standard} unless another is given.`,
    input: {
      type: "object",
      properties: { timezone: { type: "string", description: "An IANA time zone, such as Europe/Berlin." } },
    },
    idempotent: true,
    execute({ timezone = standard }: { readonly timezone?: string }) {
      const now = new Date();
      return { time: clockOf(timezone).format(now), timezone, iso: now.toISOString() };
    },
  });

function clockOf(timeZone: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "medium" });
  } catch (error) {
    throw new Error(`There is no time zone ${timeZone}.`, { cause: error });
  }
}
