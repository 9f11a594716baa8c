import type { Language } from "#core";

import type { Reply } from "./reply.ts";

/** What the script needs to know of a conversation. */
export interface DeepScene {
  readonly language: Language;
  readonly message: string;
  /** The names of the offered tools. */
  readonly tools: ReadonlySet<string>;
  /** The results since the message. */
  readonly results: readonly DeepResult[];
  /** True if a turn may have one call only. */
  readonly isSerial: boolean;
}

export interface DeepResult {
  readonly name: string | undefined;
  readonly text: string;
  readonly isError: boolean;
  /** True for a notice that the outcome of the call is unknown. */
  readonly isUnknown: boolean;
}

/**
 * The reply of a deep agent to "Research …", or of a sub-agent to a task of this script. It plans, delegates two tasks,
 * reads their notes and reports. Undefined for other messages, and without the tools of a deep agent.
 */
export function deepReply(scene: DeepScene): Reply | undefined {
  const { tools, language, message } = scene;
  if (!tools.has("write_todos")) return undefined;
  const texts = deepTexts[language];
  if (!tools.has("task")) return tools.has("write_file") ? workerReply(scene, texts) : undefined;
  const topic = texts.request.exec(message.trim())?.[1]?.slice(0, longestTopic);
  return topic === undefined ? undefined : plannerReply(scene, texts, topic);
}

const longestTopic = 60;

type Call = Reply["calls"][number];

function plannerReply({ results, tools, isSerial }: DeepScene, texts: DeepTexts, topic: string): Reply {
  const made = (name: string): number => results.filter((result) => result.name === name).length;
  const reports = results.filter(({ name, isError }) => name === "task" && !isError).map(({ text }) => text);
  const saved = angles.filter((angle) => reports.some((text) => text.includes(pathOf(angle))));
  const say = (text: string, calls: readonly Call[] = []): Reply => ({ text, calls });
  /** The calls of a step that are not made yet. */
  const left = (all: readonly Call[]): readonly Call[] =>
    all.slice(made(all[0]?.name ?? ""), isSerial ? made(all[0]?.name ?? "") + 1 : undefined);
  const plan = (of: (angle: Angle) => string, last: string): Call => ({
    name: "write_todos",
    arguments: {
      todos: [
        ...angles.map((angle) => ({ content: texts.step(texts.angles[angle]), status: of(angle) })),
        { content: texts.lastStep, status: last },
      ],
    },
  });

  if (made("write_todos") === 0) return say(texts.planning, [plan(() => "in_progress", "pending")]);
  const tasks = left(
    angles.map((angle) => ({
      name: "task",
      arguments: {
        description: texts.task(texts.angles[angle], topic, pathOf(angle)),
        subagent_type: "general-purpose",
      },
    })),
  );
  if (tasks.length > 0) return say(texts.delegating, tasks);
  const reading = left(saved.map((angle) => ({ name: "read_file", arguments: { file_path: pathOf(angle) } })));
  if (tools.has("read_file") && reading.length > 0) return say(texts.reading, reading);
  const isDone = (angle: Angle): boolean => saved.includes(angle);
  if (made("write_todos") === 1)
    return say("", [plan((angle) => (isDone(angle) ? "completed" : "pending"), "completed")]);
  const notesOf = (angle: Angle, i: number): string => {
    if (isDone(angle)) return pathOf(angle);
    const { text, isUnknown } = results.filter(({ name }) => name === "task")[i] ?? { text: "", isUnknown: false };
    return isUnknown || text.includes(texts.unclear(texts.angles[angle])) ? texts.unclearNotes : texts.noNotes;
  };
  const lines = angles.map((angle, i) => texts.line(texts.angles[angle], notesOf(angle, i)));
  return say([texts.report(topic), lines.join("\n"), texts.honest].join("\n\n"));
}

/** A sub-agent with a task of `plannerReply`: writes a file with notes, and returns where it is. */
function workerReply({ message, results }: DeepScene, texts: DeepTexts): Reply | undefined {
  const angle = angles.find((each) => message.includes(pathOf(each)));
  const topic = texts.assigned.exec(message)?.[1];
  if (angle === undefined || topic === undefined) return undefined;
  const [title, path] = [texts.angles[angle], pathOf(angle)];
  const written = results.find(({ name }) => name === "write_file");
  if (written !== undefined) {
    const failed = written.isUnknown ? texts.unclear(title) : texts.unsaved(title);
    return { text: written.isError ? failed : texts.saved(title, path), calls: [] };
  }
  const content = texts.notes(title, topic);
  return { text: texts.writing, calls: [{ name: "write_file", arguments: { file_path: path, content } }] };
}

const angles = ["options", "costs"] as const;
type Angle = (typeof angles)[number];

const pathOf = (angle: Angle): string => `/notes/${angle}.md`;

const english = {
  request: /^(?:please )?(?:research|investigate|plan(?= an? (?:trip|journey)\b)) (.+?)[.!?\s]*$/iu,
  angles: { options: "the main options", costs: "costs and risks" },
  planning: "I write down the steps first.",
  step: (angle: string) => `Research ${angle}`,
  lastStep: "Read the notes and report",
  delegating: "Two sub-agents research at the same time.",
  task: (angle: string, topic: string, path: string) =>
    `Research ${angle} of ${topic}. Write notes to ${path}, and report where they are.`,
  assigned: /^Research (?:the main options|costs and risks) of (.+)\. Write notes to/u,
  writing: "I write down what I found.",
  notes: (angle: string, topic: string) =>
    `# ${topic}: ${angle}\n\n- These notes are an example: the demo model works offline.\n- A real model writes down what it found, with sources.\n`,
  saved: (angle: string, path: string) => `The notes about ${angle} are in ${path}.`,
  unsaved: (angle: string) => `The notes about ${angle} were not saved.`,
  unclear: (angle: string) => `It is unknown whether the notes about ${angle} were saved.`,
  reading: "I read the notes.",
  report: (topic: string) => `The research about ${topic} is done:`,
  line: (angle: string, notes: string) => `- ${angle}: ${notes}`,
  noNotes: "no notes were saved",
  unclearNotes: "it is unknown whether notes were saved",
  honest: "The notes are an example, because the demo model works offline. A provider's model does real research.",
};

type DeepTexts = typeof english;

const chinese: DeepTexts = {
  request: /^(?:请|帮我|请帮我)?(?:调研|研究|规划(?=.*(?:旅行|行程)))(?:一下)?[：:\s]*(.+?)[。！？.!?\s]*$/u,
  angles: { options: "主要选择", costs: "成本与风险" },
  planning: "先写下步骤。",
  step: (angle) => `调研${angle}`,
  lastStep: "阅读笔记并汇报",
  delegating: "两个子智能体同时调研。",
  task: (angle, topic, path) => `调研“${topic}”的${angle}。把笔记写入 ${path}，并说明笔记的位置。`,
  assigned: /^调研“(.+)”的/u,
  writing: "写下调研结果。",
  notes: (angle, topic) =>
    `# ${topic}：${angle}\n\n- 这份笔记只是示例：演示模型离线运行。\n- 真实的模型会写下调研结果和来源。\n`,
  saved: (angle, path) => `关于${angle}的笔记在 ${path}。`,
  unsaved: (angle) => `关于${angle}的笔记没有保存。`,
  unclear: (angle) => `不确定关于${angle}的笔记是否已保存。`,
  reading: "阅读笔记。",
  report: (topic) => `关于“${topic}”的调研已完成：`,
  line: (angle, notes) => `- ${angle}：${notes}`,
  noNotes: "没有保存笔记",
  unclearNotes: "不确定笔记是否已保存",
  honest: "笔记只是示例，因为演示模型离线运行；换用真实的模型即可真正调研。",
};

const deepTexts: Readonly<Record<Language, DeepTexts>> = { en: english, zh: chinese };
