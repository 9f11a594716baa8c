import { isRecord } from "#core";
import type { JsonObject, Language } from "#core";

import type { LedgerCall } from "../ledger/call.ts";
import { thrownText } from "../result/thrown.ts";
import { writeJson } from "../result/write-json.ts";
import type { Session } from "../run/session.ts";
import type { ThreadFiles } from "../thread-files.ts";
import { storedFiles } from "../thread/stored-state.ts";
import { andThen } from "../tool-result.ts";
import type { Tool } from "../tool.ts";

/** What a tool does, for people and for pages that show its calls. */
export interface ToolAnnotations {
  /** It changes nothing. */
  readonly readOnly?: boolean | undefined;
  /** What it changes cannot be restored. */
  readonly destructive?: boolean | undefined;
  /** It edits files or documents that a person can review. */
  readonly edits?: boolean | undefined;
}

/** What a call will do, as data for a page. */
export type Rendered =
  /** A unified diff. */
  | { readonly type: "diff"; readonly path: string; readonly text: string }
  | { readonly type: "command"; readonly command: string }
  | { readonly type: "table"; readonly columns: readonly string[]; readonly rows: readonly (readonly string[])[] }
  | { readonly type: "markdown"; readonly text: string };

/** The call that is rendered. */
export interface RenderContext {
  readonly threadId: string;
  readonly callId: string;
  readonly agent: { readonly name: string | undefined; readonly model: string };
  readonly language: Language;
  /** The files of the thread, for reading. */
  readonly files: ThreadFiles;
  /** Aborted when rendering takes too long. */
  readonly signal: AbortSignal;
}

/** How a pending call is shown, beside its name and arguments. */
export interface CallDisplay {
  readonly title?: string;
  /** The description of the tool, as its author wrote it. */
  readonly description?: string;
  /** The JSON Schema of the arguments, unless it is long. */
  readonly schema?: JsonObject;
  readonly annotations?: ToolAnnotations;
  readonly render?: Rendered;
}

/** The options of a tool that concern people. */
export interface Displayed {
  readonly description: string;
  readonly schema: JsonObject;
  readonly title?: string | undefined;
  readonly annotations?: ToolAnnotations | undefined;
  render?(args: never, context: RenderContext): unknown;
}

/** Milliseconds after which a call is shown without its rendering, because the person waits for it. */
const longestRender = 1_000;

/** The longest rendering, as JSON. It is stored with the call. */
const longestJson = 200_000;

/** The longest schema, as JSON. It is stored with every pending call, and a longer one makes no useful form. */
const longestSchema = 20_000;

/** A call that waits for a decision, with what its tool shows to the person. */
export function withDisplay(
  session: Pick<Session, "journal" | "setup">,
  call: LedgerCall,
  { tool, args }: { readonly tool: Tool; readonly args: unknown },
): LedgerCall | Promise<LedgerCall> {
  const { gate } = call;
  if (call.state !== "awaiting" || gate === undefined) return call;
  const { journal, setup } = session;
  const { id, name } = call;
  const onFault = (reason: string): void => {
    const message = unrendered[setup.language](name, reason);
    setup.logger.warn({ threadId: journal.threadId, callId: id, tool: name }, message);
    journal.events.emitOnSave({ type: "warning", data: { message, id } });
  };
  const agent = { name: setup.name, model: setup.model.name };
  const files = storedFiles(journal, () => false); // showing a call changes nothing
  const context = { threadId: journal.threadId, callId: id, agent, language: setup.language, files };
  const show = (display: CallDisplay): LedgerCall => ({ ...call, gate: { ...gate, display } });
  return andThen(displayOf(tool, args, { context, onFault }), show);
}

const unrendered: Readonly<Record<Language, (tool: string, reason: string) => string>> = {
  en: (tool, reason) => `The call of ${tool} is shown without its rendering: ${reason}.`,
  zh: (tool, reason) => `${tool} 的调用未能渲染：${reason}。`,
};

/** How to show a call with validated arguments. */
function displayOf(
  tool: Displayed,
  args: unknown,
  { context, onFault }: { readonly context: Omit<RenderContext, "signal">; readonly onFault: (reason: string) => void },
): CallDisplay | Promise<CallDisplay> {
  const display = toolDisplay(tool);
  if (tool.render === undefined) return display;
  const call = (signal: AbortSignal): unknown => tool.render?.(structuredClone(args) as never, { ...context, signal }); // validated by the tool
  return rendered(call).then((result) => {
    if (result === undefined) return display;
    if ("value" in result) return { ...display, render: result.value };
    onFault(result.reason);
    return display;
  });
}

/** How to show any call of a tool. */
export function toolDisplay({ title, description, schema, annotations }: Omit<Displayed, "render">): CallDisplay {
  const written = JSON.stringify(schema);
  return {
    ...(title !== undefined && { title }),
    ...(description !== "" && { description }),
    ...(written.length <= longestSchema && { schema: JSON.parse(written) as JsonObject }), // a copy
    ...(annotations !== undefined && { annotations: { ...annotations } }),
  };
}

type Result = { readonly value: Rendered } | { readonly reason: string } | undefined;

async function rendered(render: (signal: AbortSignal) => unknown): Promise<Result> {
  const limit = new AbortController();
  const { promise: late, resolve } = Promise.withResolvers<Result>();
  const timer = setTimeout(() => {
    limit.abort(new DOMException("It took too long.", "TimeoutError"));
    resolve({ reason: `it took more than ${longestRender} ms` });
  }, longestRender);
  const read = async (): Promise<Result> => {
    const value: unknown = await render(limit.signal);
    return value === undefined ? undefined : checked(value);
  };
  try {
    return await Promise.race([read(), late]);
  } catch (error) {
    return { reason: thrownText(error) };
  } finally {
    clearTimeout(timer);
  }
}

/** A copy of what a tool has rendered, if it is valid. */
function checked(value: unknown): Result {
  const written = writeJson(value, "en");
  if ("reason" in written) return written;
  if (written.json.length > longestJson) return { reason: `it has more than ${longestJson} characters` };
  const copy: unknown = JSON.parse(written.json);
  const fits = isRecord(copy) && typeof copy["type"] === "string" ? forms.get(copy["type"]) : undefined;
  if (fits === undefined || !isRecord(copy) || !fits(copy))
    return { reason: "it is not { type: diff, command, table or markdown } with its fields" };
  return { value: copy as unknown as Rendered }; // checked
}

const isText = (value: unknown): boolean => typeof value === "string";
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);

const forms: ReadonlyMap<string, (value: JsonObject) => boolean> = new Map([
  ["diff", ({ path, text }) => isText(path) && isText(text)],
  ["command", ({ command }) => isText(command)],
  ["table", ({ columns, rows }) => isTexts(columns) && Array.isArray(rows) && rows.every(isTexts)],
  ["markdown", ({ text }) => isText(text)],
] satisfies [string, (value: JsonObject) => boolean][]);
