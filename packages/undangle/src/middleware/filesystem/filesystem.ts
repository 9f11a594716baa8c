import type { AnyTool, HookContext, Middleware, OwnState } from "#engine";
import { defineMiddleware } from "#engine";
import type { FileBackend } from "#files";
import type { ModelRequest, ModelStream } from "#model";

import { askRules } from "./ask-rules.ts";
import { evictMessages, hasLongMessage } from "./evict-messages.ts";
import { evictResult } from "./evict-results.ts";
import { executeTool } from "./execute-tool.ts";
import { createAccess, fileError } from "./file-access.ts";
import { fileTexts } from "./file-texts.ts";
import type { FileTooling } from "./file-tool.ts";
import { defaultPreview, readOptions } from "./filesystem-options.ts";
import type { FilesystemOptions, FilesystemSettings } from "./filesystem-options.ts";
import { emptyState, reduceState } from "./filesystem-state.ts";
import type { FilesystemState, FilesystemUpdate } from "./filesystem-state.ts";
import { readTool } from "./read-tool.ts";
import { searchTools } from "./search-tools.ts";
import { describedSchema } from "../described-schema.ts";
import { argumentsChinese, toolDescriptions } from "./tool-texts.ts";
import type { FileToolName } from "./tool-texts.ts";
import { writeTools } from "./write-tools.ts";

/**
 * Gives a model files: tools to list, read, write, edit, delete and search them, and to run commands if the backend can.
 * Very long results of tools and very long user messages are stored in files.
 */
export function filesystem(options: FilesystemOptions = {}): Middleware {
  const settings = readOptions(options);
  const { source, evict, evictMessages: messages, names, permissions, prefixes, rules, tools } = settings;
  const stored = [evict, messages].flatMap((each) => (each === undefined ? [] : [each.directory]));
  const access = createAccess({ source, permissions, rules, prefixes, stored });
  const own = new Set(tools.filter((kind) => kind !== "execute").map((kind) => names[kind]));
  const show = createToolView(settings);
  return defineMiddleware<FilesystemState, FilesystemUpdate>({
    name: "filesystem",
    state: { initial: emptyState, reduce: reduceState },
    approvals: askRules(settings),
    tools: (state) => {
      const made = toolsOf({ ...toolingOf(settings, state), access: access.of, preview: access.preview });
      return tools.map((kind) => made[kind]);
    },
    wrapModelCall: (next) => (request, context) => {
      const isLong = messages !== undefined && hasLongMessage(request, context.state.get(), messages.maxLength);
      if (isFixed(source) && !isLong) return next(show(request, [])); // at once, as for most requests
      let opened: Promise<FileBackend> | undefined;
      const backend = (): Promise<FileBackend> => (opened ??= access.backendForRequest(context));
      const ask = async (): Promise<ModelStream> => {
        const shown = show(request, await hiddenTools(settings, backend, context));
        if (messages === undefined || !isLong) return next(shown);
        const preview = evict?.preview ?? defaultPreview;
        return next(
          await evictMessages(shown, context, {
            ...messages,
            preview,
            readFile: names.read_file,
            backend,
            check: access.checkStored,
          }),
        );
      };
      return ask();
    },
    wrapToolCall: (next) => (call, context) => {
      const { name } = call.tool;
      if (evict === undefined || own.has(name) || evict.exclude.has(name)) return next(call);
      const backendOf = (): Promise<FileBackend> => access.backendOf(call.context);
      return evictResult(call, context, next, {
        settings: evict,
        readFile: names.read_file,
        backendOf,
        check: access.checkStored,
      });
    },
  });
}

/** True for a backend whose tools are known in advance. */
const isFixed = (source: FilesystemSettings["source"]): boolean =>
  typeof source !== "function" && source.canExecute === undefined;

const toolsOf = (tooling: FileTooling): Readonly<Record<FileToolName, AnyTool>> => ({
  ...searchTools(tooling),
  ...writeTools(tooling),
  read_file: readTool(tooling),
  execute: executeTool(tooling),
});

const toolingOf = (
  { names, descriptions, maxLength, mustRead, maxTimeout, evict, tools }: FilesystemSettings,
  own: OwnState<FilesystemState, FilesystemUpdate>,
): Omit<FileTooling, "access" | "preview"> => ({
  names,
  descriptions,
  own,
  maxLength,
  mustRead,
  maxTimeout,
  cleared: evict?.keep === undefined ? undefined : evict.directory,
  isOffered: (name, { backend }) => tools.includes(name) && (name !== "execute" || backend.execute !== undefined),
});

/** The tools that the backend of this request does not support. */
async function hiddenTools(
  { tools }: FilesystemSettings,
  backend: () => Promise<FileBackend>,
  { warn, language }: Pick<HookContext, "warn" | "language">,
): Promise<readonly FileToolName[]> {
  if (!tools.includes("delete") && !tools.includes("execute")) return [];
  try {
    const files = await backend();
    const canExecute = files.execute !== undefined && (await files.canExecute?.()) !== false;
    const hidden: FileToolName[] = [];
    if (files.delete === undefined) hidden.push("delete");
    if (!canExecute) hidden.push("execute");
    return hidden;
  } catch (error) {
    const found = fileError(error, language);
    warn(fileTexts[language].unavailable(found instanceof Error ? found.message : String(found)));
    return ["delete", "execute"];
  }
}

/** The tools of a request without hidden ones, described in its language. The same tools give the same list. */
function createToolView({
  tools,
  names,
  descriptions,
}: FilesystemSettings): (request: ModelRequest, hidden: readonly FileToolName[]) => ModelRequest {
  const known = new WeakMap<ModelRequest["tools"], Map<string, ModelRequest["tools"]>>();
  return (request, hidden) => {
    if (request.language === "en" && !hidden.some((kind) => tools.includes(kind))) return request;
    const views = known.get(request.tools) ?? new Map<string, ModelRequest["tools"]>();
    known.set(request.tools, views);
    const key = `${request.language} ${hidden.join(" ")}`;
    const kinds = new Map(tools.map((kind) => [names[kind], kind]));
    const view =
      views.get(key) ??
      request.tools.flatMap((tool) => {
        const kind = kinds.get(tool.name);
        if (kind === undefined) return [tool];
        if (hidden.includes(kind)) return [];
        const description = descriptions[kind] ?? toolDescriptions[request.language][kind](names);
        const schema = request.language === "zh" ? describedSchema(tool.schema, argumentsChinese[kind]) : tool.schema;
        return [{ ...tool, description, schema }];
      });
    views.set(key, view);
    return { ...request, tools: view };
  };
}
