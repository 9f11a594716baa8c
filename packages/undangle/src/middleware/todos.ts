import type { Language } from "#core";
import type { AnyTool, Middleware, OwnState } from "#engine";
import { defineMiddleware, tool } from "#engine";
import type { ModelRequest } from "#model";

import { describedSchema } from "./described-schema.ts";
import { appendSystemText } from "./append-system-text.ts";

/** An entry of the list. */
export interface Todo {
  readonly content: string;
  readonly status: TodoStatus;
}

export type TodoStatus = (typeof statuses)[number];

const statuses = ["pending", "in_progress", "completed"] as const;

/** What `thread.state()` contains as `todos`. */
export interface TodosState {
  readonly items: readonly Todo[];
  /** The calls of the last turn that replaced the list more than once. They fail, also after a crash. */
  readonly refused?: readonly string[];
}

type TodosUpdate =
  | { readonly type: "write"; readonly items: readonly Todo[] }
  | { readonly type: "refuse"; readonly calls: readonly string[] };

const toolName = "write_todos";

/**
 * Lets a model plan: `write_todos` replaces a list of steps, which is stored in the thread. The list is in results of the
 * tool and never in the system text, so that requests keep their common beginning.
 */
export function todos(): Middleware {
  const views = new WeakMap<ModelRequest["tools"], ModelRequest["tools"]>();
  const describe = ({ tools, language }: ModelRequest): ModelRequest["tools"] => {
    if (language === "en") return tools;
    const { description } = todoTexts[language];
    const translated = (each: ModelRequest["tools"][number]): ModelRequest["tools"][number] =>
      each.name === toolName
        ? { ...each, description, schema: describedSchema(each.schema, { todos: "完整的清单。空清单会将其清除。" }) }
        : each;
    const view = views.get(tools) ?? tools.map(translated);
    views.set(tools, view);
    return view;
  };
  return defineMiddleware<TodosState, TodosUpdate>({
    name: "todos",
    state: { initial: { items: [] }, reduce },
    tools: (own) => [writeTodos(own)],
    beforeModel: (request) => ({
      ...request,
      system: appendSystemText(request.system, todoTexts[request.language].prompt),
      tools: describe(request),
    }),
    afterModel({ answer, state }) {
      const calls = answer.calls.filter(({ name }) => name === toolName).map(({ id }) => id);
      if (calls.length > 1) state.update({ type: "refuse", calls }); // saved before any of them starts
    },
    afterSummary({ state, language }) {
      const { items } = state.get();
      const isOpen = items.some(({ status }) => status !== "completed");
      return isOpen ? `${todoTexts[language].afterSummary}\n${listText(items)}` : undefined;
    },
  });
}

const reduce = (state: TodosState, update: TodosUpdate): TodosState =>
  update.type === "write" ? { items: update.items } : { ...state, refused: update.calls };

function writeTodos(own: OwnState<TodosState, TodosUpdate>): AnyTool {
  return tool({
    name: toolName,
    description: todoTexts.en.description,
    input: {
      type: "object",
      additionalProperties: false,
      properties: {
        todos: {
          type: "array",
          description: "The whole list. An empty list clears it.",
          items: {
            type: "object",
            additionalProperties: false,
            properties: {
              content: { type: "string", pattern: "\\S", description: "What to do." },
              status: { type: "string", enum: statuses },
            },
            required: ["content", "status"],
          },
        },
      },
      required: ["todos"],
    },
    annotations: { readOnly: true }, // it changes nothing but the plan
    idempotent: true,
    execute({ todos: items }, context) {
      const texts = todoTexts[context.language];
      const list = own(context);
      if (list.get().refused?.includes(context.callId) === true) throw new Error(texts.twice);
      list.update({ type: "write", items });
      return items.length === 0 ? texts.cleared : `${texts.written}\n${listText(items)}`;
    },
  });
}

const marks: Readonly<Record<TodoStatus, string>> = { pending: "[ ]", in_progress: "[>]", completed: "[x]" };

/** One line for each entry. */
const listText = (items: readonly Todo[]): string =>
  items.map(({ content, status }) => `${marks[status]} ${content.trim().replaceAll(/\s+/gu, " ")}`).join("\n");

/** The texts that a model reads about its list. They are the same in every request. */
interface TodoTexts {
  /** In the system text. */
  readonly prompt: string;
  /** Of the tool. */
  readonly description: string;
  /** Before the new list. */
  readonly written: string;
  readonly cleared: string;
  /** The error of each call, if a turn has several. */
  readonly twice: string;
  /** Before the list, after a summary. */
  readonly afterSummary: string;
}

const todoTexts: Readonly<Record<Language, TodoTexts>> = {
  en: {
    prompt: `## Planning

For work with several steps, keep a list of them with write_todos: write it before you start, and update the status of a step as soon as you begin or finish it. Do not use it for questions and small tasks: plan only what you could lose track of.`,
    description:
      "Replaces your list of steps. Always pass the whole list, at most once per turn. Use it for work with several steps, not for small tasks. Mark a step as in_progress before you work on it, and as completed only when it is done.",
    written: "The list is now ([ ] pending, [>] in progress, [x] completed):",
    cleared: "The list is empty.",
    twice:
      "The list was not changed: write_todos was called more than once in this turn, and each call replaces the whole list. Call it once, with all steps.",
    afterSummary: "Your list of steps, from write_todos ([ ] pending, [>] in progress, [x] completed):",
  },
  zh: {
    prompt: `## 计划

处理包含多个步骤的工作时，请用 write_todos 维护步骤清单：开始之前写好清单，每开始或完成一步就立即更新其状态。简单的问题和小任务不要使用：只为容易遗漏的工作做计划。`,
    description:
      "替换你的步骤清单。每次都要传入完整的清单，每轮最多调用一次。用于包含多个步骤的工作，不用于小任务。开始某一步之前将其标为 in_progress，确实完成后才标为 completed。",
    written: "当前清单（[ ] 待办，[>] 进行中，[x] 已完成）：",
    cleared: "清单为空。",
    twice: "清单没有改变：本轮多次调用了 write_todos，而每次调用都会替换整个清单。请只调用一次，并包含所有步骤。",
    afterSummary: "你用 write_todos 写下的步骤清单（[ ] 待办，[>] 进行中，[x] 已完成）：",
  },
};
