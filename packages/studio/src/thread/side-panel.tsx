import { useQuery } from "@tanstack/react-query";
import { Circle, CircleCheck, CircleDot, Download, X } from "lucide-react";
import type { LucideIcon } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import type { ReactNode } from "react";
import type { QueuedThread } from "undangle/client";

import { queries, server } from "../api/server.ts";
import { messageOf } from "../parts/error-message.ts";
import { Button } from "../parts/controls/button.tsx";
import { ConfirmButton } from "../parts/controls/confirm-button.tsx";
import { ExactText } from "../parts/text/exact-text.tsx";
import { Failure, FailureText } from "../parts/failure.tsx";
import { saveFile } from "../parts/controls/save-file.ts";
import { useReadAgain } from "../parts/use-read-again.ts";
import { useLanguage, useTexts } from "../texts/language.tsx";
import { shellTexts } from "../texts/shell-texts.ts";
import { threadTexts } from "../texts/thread-texts.ts";
import { ThreadFiles } from "./thread-files.tsx";
import type { ThreadState } from "./feed/thread-state.ts";

export interface SidePanelProps {
  readonly thread: QueuedThread;
  readonly state: ThreadState;
  readonly onClose: () => void;
  /** Called after the thread was deleted. */
  readonly onDelete: () => void;
}

/** Beside the conversation: tasks, files, facts, export and deletion. A drawer on narrow screens. */
export function SidePanel({ thread, state, onClose, onDelete }: SidePanelProps) {
  const { side: texts } = useTexts(threadTexts);
  const close = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!isWide()) close.current?.focus();
  }, []);
  return (
    <aside
      aria-label={texts.title}
      className="fixed inset-y-0 right-0 z-10 flex w-80 max-w-full flex-col gap-5 overflow-auto border-l border-line bg-surface p-4 text-sm shadow-xl xl:static xl:z-0 xl:w-72 xl:flex-none xl:shadow-none"
      onKeyDown={({ key }) => {
        if (key === "Escape") onClose();
      }}
    >
      <div className="flex items-center justify-between">
        <h2 className="text-base font-semibold">{texts.title}</h2>
        <button
          ref={close}
          type="button"
          aria-label={texts.close}
          title={texts.close}
          onClick={onClose}
          className="rounded p-2 hover:bg-raised"
        >
          <X size={16} aria-hidden />
        </button>
      </div>
      <Todos id={thread.id} at={state.last} />
      <Section title={texts.files}>
        <ThreadFiles id={thread.id} at={state.last} />
      </Section>
      <Facts thread={thread} state={state} />
      <Export id={thread.id} />
      <Delete id={thread.id} onDelete={onDelete} />
    </aside>
  );
}

/** True where the panel is a column and not a drawer. */
export const isWide = (): boolean => matchMedia("(min-width: 80rem)").matches;

const Section = ({ title, children }: { readonly title: string; readonly children: ReactNode }) => (
  <section className="min-w-0">
    <h3 className="mb-1.5 font-medium">{title}</h3>
    {children}
  </section>
);

type TodoStatus = "pending" | "in_progress" | "completed";

const marks: Readonly<Record<TodoStatus, { readonly icon: LucideIcon; readonly look: string }>> = {
  pending: { icon: Circle, look: "text-muted" },
  in_progress: { icon: CircleDot, look: "text-accent" },
  completed: { icon: CircleCheck, look: "text-good" },
};

function Todos({ id, at }: { readonly id: string; readonly at: number }) {
  const { side: texts } = useTexts(threadTexts);
  const reading = useQuery({ queryKey: ["state", id], queryFn: () => server.threads.state(id), staleTime: 0 });
  useReadAgain(at, reading);
  const { data, error } = reading;
  const items = todosIn(data);
  return (
    <Section title={texts.todos}>
      {error !== null && <Failure error={error} />}
      {data !== undefined && items.length === 0 && <p className="text-muted">{texts.noTodos}</p>}
      <ul className="flex flex-col gap-1">
        {items.map(({ content, status }, i) => {
          const { icon: Icon, look } = marks[status];
          return (
            <li key={i} className="flex min-w-0 gap-2">
              <Icon size={16} aria-label={texts.todoStates[status]} className={`mt-0.5 flex-none ${look}`} />
              <span className={`min-w-0 break-words ${status === "completed" ? "text-muted" : ""}`}>
                <ExactText text={content} />
              </span>
            </li>
          );
        })}
      </ul>
    </Section>
  );
}

interface Todo {
  readonly content: string;
  readonly status: TodoStatus;
}

/** The list of `todos()` in the state of a thread. */
function todosIn(state: Readonly<Record<string, unknown>> | undefined): readonly Todo[] {
  const todos = state?.["todos"];
  if (typeof todos !== "object" || todos === null || !("items" in todos) || !Array.isArray(todos.items)) return [];
  return todos.items.filter(isTodo);
}

const isTodo = (value: unknown): value is Todo =>
  typeof value === "object" &&
  value !== null &&
  "content" in value &&
  typeof value.content === "string" &&
  "status" in value &&
  typeof value.status === "string" &&
  Object.hasOwn(marks, value.status);

function Facts({ thread, state }: Pick<SidePanelProps, "thread" | "state">) {
  const all = useTexts(threadTexts);
  const { side: texts } = all;
  const { status } = useTexts(shellTexts);
  const language = useLanguage();
  const usage = state.end?.threadUsage;
  const facts: readonly (readonly [string, string])[] = [
    [texts.status, status[thread.status]],
    [texts.persona, thread.persona],
    [texts.entries, thread.entries.toLocaleString(language)],
    ...(usage === undefined ? [] : [[texts.usage, all.tokens(usage.inputTokens, usage.outputTokens)] as const]),
    [texts.created, new Date(thread.created_at).toLocaleString(language, { dateStyle: "medium", timeStyle: "short" })],
    [texts.id, thread.id],
  ];
  return (
    <Section title={texts.about}>
      <dl className="grid grid-cols-[auto_1fr] gap-x-3 gap-y-1">
        {facts.map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-muted">{name}</dt>
            <dd className="min-w-0 break-words">
              <ExactText text={value} />
            </dd>
          </div>
        ))}
      </dl>
    </Section>
  );
}

const formats = [
  "openai-chat",
  "openai-responses",
  "anthropic",
  "gemini",
  "bedrock",
  "ollama",
  "ai-sdk",
  "langchain",
] as const;

function Export({ id }: { readonly id: string }) {
  const { side: texts } = useTexts(threadTexts);
  const [format, setFormat] = useState("");
  const [failure, setFailure] = useState("");
  const save = async (): Promise<void> => {
    setFailure("");
    try {
      const value = await server.threads.export(id, format === "" ? undefined : format);
      saveFile(`${id}${format === "" ? "" : `.${format}`}.json`, value);
    } catch (error) {
      setFailure(messageOf(error));
    }
  };
  return (
    <Section title={texts.export}>
      <div className="flex flex-wrap gap-2">
        <select
          aria-label={texts.export}
          value={format}
          onChange={({ target }) => setFormat(target.value)}
          className="min-h-9 min-w-0 flex-1 rounded-md border border-control bg-surface px-2"
        >
          <option value="">{texts.exportThread}</option>
          {formats.map((each) => (
            <option key={each} value={each}>
              {texts.exportAs(each)}
            </option>
          ))}
        </select>
        <Button onClick={() => void save()} aria-label={texts.save} title={texts.save}>
          <Download size={16} aria-hidden />
        </Button>
      </div>
      <FailureText text={failure} className="mt-1" />
    </Section>
  );
}

function Delete({ id, onDelete }: { readonly id: string; readonly onDelete: () => void }) {
  const { side: texts } = useTexts(threadTexts);
  const remove = async (): Promise<void> => {
    await server.threads.delete(id);
    await queries.invalidateQueries({ queryKey: ["threads"] });
    onDelete();
  };
  return (
    <section tabIndex={-1} aria-label={texts.delete} className="border-t border-line pt-4 outline-none">
      <ConfirmButton
        text={texts.delete}
        sure={texts.deleteNow}
        name={texts.delete}
        warning={texts.deleteHint}
        onConfirm={remove}
      />
    </section>
  );
}
