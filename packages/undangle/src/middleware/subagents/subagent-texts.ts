import type { Language } from "#core";

import type { Subagent } from "./subagent-specs.ts";

/** The texts that models read about tasks. They are the same in every request. */
interface SubagentTexts {
  /** For people. */
  readonly title: string;
  /** Of the tool, with the placeholder `{available_agents}`. */
  readonly description: string;
  readonly task: string;
  readonly type: string;
  readonly generalPurpose: { readonly description: string; readonly instructions: string };
  readonly noText: (agent: string) => string;
  readonly stopped: string;
  readonly unfinished: (agent: string, reason: string) => string;
  readonly lastText: string;
}

/** One line for each agent, whatever its description contains. */
export const availableAgents = (agents: readonly Subagent[]): string =>
  agents.map(({ name, description }) => `- ${name}: ${description.trim().replaceAll(/\s+/gu, " ")}`).join("\n");

export const subagentTexts: Readonly<Record<Language, SubagentTexts>> = {
  en: {
    title: "Delegate a task",
    description: `Gives a task to another agent, which works on its own and returns one message.

Agents:
{available_agents}

The agent sees nothing of this conversation: the description must contain everything it needs, and say what to return. Only its last message comes back, and the user does not see it. Give independent tasks in one turn: they run in parallel. Do small tasks yourself.`,
    task: "The complete task: the goal, all context, and what to return.",
    type: "The agent to use.",
    generalPurpose: {
      description:
        "Works on tasks of any kind with the same tools as you. Use it for research and for tasks with many steps whose details you do not need.",
      instructions:
        "You work on one task for another agent. Use your tools to complete it. You cannot ask questions: if something is unclear, make a reasonable assumption and state it. Only your last message reaches the other agent, so it must contain the whole result.",
    },
    noText: (agent) => `The agent ${agent} finished without a text.`,
    stopped: "it was stopped",
    unfinished: (agent, reason) => `The agent ${agent} did not finish the task: ${reason}`,
    lastText: "Its last message:",
  },
  zh: {
    title: "委派任务",
    description: `把任务交给另一个智能体，它独立工作并返回一条消息。

可用的智能体：
{available_agents}

该智能体看不到本次对话的任何内容：description 必须包含它需要的全部信息，并说明要返回什么。只有它的最后一条消息会返回，用户看不到。互不依赖的任务请在同一轮中提出：它们会并行执行。小任务请自己完成。`,
    task: "完整的任务：目标、全部背景，以及要返回的内容。",
    type: "要使用的智能体。",
    generalPurpose: {
      description: "用与你相同的工具处理任何任务。适合调研，以及步骤多而你不需要其细节的任务。",
      instructions:
        "你在为另一个智能体完成一项任务。请使用工具完成它。你不能提问：如有不清楚之处，请作出合理的假设并加以说明。只有你的最后一条消息会传给对方，因此它必须包含完整的答案。",
    },
    noText: (agent) => `智能体 ${agent} 已结束，但没有给出答案。`,
    stopped: "它已被停止",
    unfinished: (agent, reason) => `智能体 ${agent} 没有完成任务：${reason}`,
    lastText: "它的最后一条消息：",
  },
};
