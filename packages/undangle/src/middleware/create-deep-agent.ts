import { UndangleError } from "#core";
import type { Language } from "#core";
import type { Agent, AgentOptions, FinalAnswerOf, Middleware, ToolInput } from "#engine";
import { createAgent } from "#engine";
import type { FileBackendSource, PermissionRule } from "#files";

import { filesystem } from "./filesystem/filesystem.ts";
import { memory } from "./memory/memory.ts";
import { demand, isListOf, isText } from "./option-checks.ts";
import { patchToolCalls } from "./patch-tool-calls.ts";
import { promptCaching } from "./prompt-caching.ts";
import { reduction } from "./reduction/reduction.ts";
import type { ReductionOptions } from "./reduction/reduction-options.ts";
import { skills } from "./skills/skills.ts";
import { generalPurposeName } from "./subagents/subagent-specs.ts";
import type { SpecifiedAgent, Subagent, SubagentsOptions } from "./subagents/subagent-specs.ts";
import { subagents } from "./subagents/subagents.ts";
import { summarization } from "./summarization/summarization.ts";
import { todos } from "./todos.ts";

export interface DeepAgentOptions<
  Output extends ToolInput | undefined = ToolInput | undefined,
> extends AgentOptions<Output> {
  /** The files of the agent and its sub-agents. In the thread by default. */
  readonly files?: FileBackendSource | undefined;
  /** Which files the agent may read and write. Sub-agents may do the same or less. */
  readonly permissions?: readonly PermissionRule[] | undefined;
  /** Files that every request contains, such as `/AGENTS.md`. None by default. */
  readonly memory?: readonly string[] | undefined;
  /** Folders with skills, such as `/skills`. None by default. */
  readonly skills?: readonly string[] | undefined;
  readonly subagents?: readonly Subagent[] | undefined;
  readonly generalPurpose?: SubagentsOptions["generalPurpose"];
  /** Shortens old arguments and results before anything is summarized. Off by default. */
  readonly reduction?: ReductionOptions | undefined;
  /** Default middleware to leave out, by name. */
  readonly without?: readonly DeepMiddlewareName[] | undefined;
  /** Replaces the text that follows `instructions`. An empty text leaves it out. */
  readonly guidance?: string | undefined;
}

/** The default middleware, in its order. */
const deepMiddlewareNames = [
  "todos",
  "memory",
  "skills",
  "filesystem",
  "subagents",
  "reduction",
  "summarization",
  "prompt-caching",
  "patch-tool-calls",
] as const;

export type DeepMiddlewareName = (typeof deepMiddlewareNames)[number];

const defaultSteps = 1000;

/**
 * An agent for long work: it plans, keeps files, delegates to sub-agents, and summarizes a conversation that becomes too
 * long. Everything is a middleware that can be replaced by one of the same name, or left out.
 */
export function createDeepAgent<const Output extends ToolInput | undefined = undefined>(
  options: DeepAgentOptions<Output>,
): Agent<FinalAnswerOf<Output>>;
export function createDeepAgent(options: DeepAgentOptions): Agent {
  const { instructions = "", limits, guidance = guidanceOf(options) } = options;
  const rest = Object.fromEntries(Object.entries(options).filter(([name]) => !deepOptions.has(name))); // options of createAgent()
  return createAgent({
    ...rest,
    model: options.model,
    instructions: [instructions, guidance].filter((part) => part !== "").join("\n\n"),
    limits: { steps: defaultSteps, ...limits },
    middleware: deepStack(options),
  });
}

/** The options that `createAgent()` does not have. */
const deepOptions: ReadonlySet<string> = new Set<Exclude<keyof DeepAgentOptions, keyof AgentOptions>>([
  "files",
  "permissions",
  "memory",
  "skills",
  "subagents",
  "generalPurpose",
  "reduction",
  "without",
  "guidance",
]);

/** The middleware of a deep agent: the defaults with those of the user in their places. */
function deepStack(options: DeepAgentOptions): readonly Middleware[] {
  const { middleware = [], without = [], skills: skillFolders = [] } = options;
  demand(
    isListOf(without, (name) => deepMiddlewareNames.some((each) => each === name)),
    "without",
    without,
    deepMiddlewareNames,
  );
  if (without.includes("filesystem") && skillFolders.length > 0)
    throw new UndangleError("options/value", {
      option: "without",
      value: without,
      allowed: ["a list without filesystem, because the model reads skills with its tools"],
    });
  const names = middleware.map(({ name }) => name);
  const twice = names.findIndex((name, i) => names.indexOf(name) !== i);
  if (twice !== -1)
    throw new UndangleError("middleware/duplicate", {
      name: names[twice] ?? "",
      places: [`middleware[${names.indexOf(names[twice] ?? "")}]`, `middleware[${twice}]`],
    });
  if (names.includes("filesystem"))
    for (const option of ["files", "permissions"] as const)
      demand(options[option] === undefined, option, options[option], [
        "no value: the filesystem() in middleware has its own backend and permissions",
      ]);
  const replaced = new Map(middleware.map((each) => [each.name, each]));
  const own = middleware.filter(({ name }) => !deepMiddlewareNames.some((each) => each === name));
  const place = (name: DeepMiddlewareName, make: () => Middleware | undefined): readonly Middleware[] => {
    if (without.includes(name)) return [];
    const found = replaced.get(name) ?? make();
    return found === undefined ? [] : [found];
  };
  const shared = sharedStack(options, place);
  const defaults = (agent: SpecifiedAgent): readonly Middleware[] => {
    const { first, last } = shared(agent);
    return [...first, ...last];
  };
  const { subagents: agents = [], generalPurpose } = options;
  const hasAgents = agents.length > 0 || generalPurpose !== false;
  const { first, last, end } = shared(undefined);
  return [
    ...first,
    ...place("subagents", () => (hasAgents ? subagents({ agents, generalPurpose, defaults }) : undefined)),
    ...last,
    ...own,
    ...end,
  ];
}

interface SharedStack {
  /** Before the sub-agents. */
  readonly first: readonly Middleware[];
  readonly last: readonly Middleware[];
  /** After the middleware of the user. */
  readonly end: readonly Middleware[];
}

/** What the agent and its sub-agents have in common. Memory and skills are for the agent and its general-purpose agent. */
function sharedStack(
  options: DeepAgentOptions,
  place: (name: DeepMiddlewareName, make: () => Middleware | undefined) => readonly Middleware[],
): (agent: SpecifiedAgent | undefined) => SharedStack {
  const { files, permissions = [], memory: sources = [], skills: folders = [], reduction: sizes } = options;
  demand(isListOf(sources, isText), "memory", sources, ["a list of paths"]);
  demand(isListOf(folders, isText), "skills", folders, ["a list of folders"]);
  return (agent) => {
    const isGeneral = agent === undefined || agent.name === generalPurposeName;
    const skillFolders = agent?.skills ?? (isGeneral ? folders : []);
    const rules =
      agent === undefined
        ? { permissions }
        : { permissions: agent.permissions, outerPermissions: agent.inherit === false ? [] : permissions };
    const end = [
      ...place("prompt-caching", () => promptCaching()),
      ...place("patch-tool-calls", () => patchToolCalls()),
    ];
    const last = [
      ...place("reduction", () => (sizes === undefined ? undefined : reduction({ files, ...sizes }))),
      ...place("summarization", () => summarization({ files })),
    ];
    return {
      first: [
        ...place("todos", () => todos()),
        ...(isGeneral ? place("memory", () => (sources.length === 0 ? undefined : memory({ sources, files }))) : []),
        ...place("skills", () => (skillFolders.length === 0 ? undefined : skills({ sources: skillFolders, files }))),
        ...place("filesystem", () => filesystem({ backend: files, ...rules })),
      ],
      last: agent === undefined ? last : [...last, ...end],
      end: agent === undefined ? end : [],
    };
  };
}

/** What every deep agent is told after its own instructions, without advice about tools that it lacks. */
function guidanceOf({
  language = "en",
  without = [],
  subagents: agents = [],
  generalPurpose,
}: DeepAgentOptions): string {
  const { title, first, files, tasks, last } = deepGuidance[language];
  const hasTasks = !without.includes("subagents") && (agents.length > 0 || generalPurpose !== false);
  const lines = [...first, ...(without.includes("filesystem") ? [] : [files]), ...(hasTasks ? [tasks] : []), ...last];
  return `${title}\n\n${lines.map((line) => `- ${line}`).join("\n")}`;
}

interface Guidance {
  readonly title: string;
  readonly first: readonly string[];
  readonly files: string;
  readonly tasks: string;
  readonly last: readonly string[];
}

const deepGuidance: Readonly<Record<Language, Guidance>> = {
  en: {
    title: "## How you work",
    first: [
      "Do what was asked, and stop when it is done. Ask only if you cannot find out by yourself.",
      "Read before you change something. Base statements on what tools return, not on what you expect.",
    ],
    files: "Keep notes, drafts and long results in files, and refer to them by path.",
    tasks:
      "Delegate independent or long parts of the work with the tool task, several at once where that is possible. Check what comes back.",
    last: [
      "If a call fails or is rejected, read the reason. Do not repeat it unchanged: try another way, or report what is missing.",
      "End with a short report: what was done, where the results are, and what is open.",
    ],
  },
  zh: {
    title: "## 工作方式",
    first: [
      "完成所要求的工作，完成后即停止。只有在自己无法弄清楚时才提问。",
      "更改之前先读取。结论应基于工具返回的内容，而不是你的预期。",
    ],
    files: "把笔记、草稿和较长的结果保存在文件中，并用路径引用它们。",
    tasks: "用工具 task 委派互不依赖或耗时较长的部分，可以的话一次委派多个。请检查返回的结果。",
    last: [
      "如果调用失败或被拒绝，请先看原因。不要原样重复：换一种方法，或说明缺少什么。",
      "最后给出简短的报告：做了什么、结果在哪里、还有什么未完成。",
    ],
  },
};
