import type { JsonObject } from "#core";
import { tool } from "#engine";
import type { AnyTool, OwnState, RenderContext, Rendered, Tool, ToolContext } from "#engine";

import { fileError } from "./file-access.ts";
import type { FileAccess } from "./file-access.ts";
import type { FilesystemState, FilesystemUpdate } from "./filesystem-state.ts";
import { toolAnnotations, toolDescriptions, toolInputs } from "./tool-texts.ts";
import type { FileToolName, ToolNames } from "./tool-texts.ts";

/** What the tools need to know about the middleware. */
export interface FileTooling {
  readonly names: ToolNames;
  readonly descriptions: Readonly<Partial<Record<FileToolName, string>>>;
  readonly access: (context: ToolContext) => Promise<FileAccess>;
  /** The files for the preview of a call, which only reads. */
  readonly preview: (context: RenderContext) => Promise<FileAccess>;
  readonly own: OwnState<FilesystemState, FilesystemUpdate>;
  /** The most characters of a result. */
  readonly maxLength: number;
  readonly mustRead: boolean;
  /** The longest time of a command in milliseconds. */
  readonly maxTimeout: number;
  /** The directory of stored results, if old ones are removed. */
  readonly cleared: string | undefined;
  /** True if the model was offered the tool. */
  readonly isOffered: (name: FileToolName, access: FileAccess) => boolean;
}

type Inputs = typeof toolInputs;

/** The arguments of a tool, as its schema declares them. */
export type ArgumentsOfTool<Name extends FileToolName> =
  ReturnType<typeof tool<Inputs[Name]>> extends Tool<infer Args> ? Args : never;

/** What a tool does, and how its calls are shown to a person. */
export interface FileToolParts<Name extends FileToolName> {
  readonly run: (args: ArgumentsOfTool<Name>, access: FileAccess, context: ToolContext) => Promise<unknown>;
  readonly render?: (
    args: ArgumentsOfTool<Name>,
    access: FileAccess,
  ) => Rendered | undefined | Promise<Rendered | undefined>;
}

/** Creates one of the tools. Its errors are in the language of the agent. */
export function fileTool<Name extends FileToolName>(
  kind: Name,
  { names, descriptions, access, preview }: FileTooling,
  { run, render }: FileToolParts<Name>,
): AnyTool {
  const made: AnyTool = tool({
    name: names[kind],
    description: descriptions[kind] ?? toolDescriptions.en[kind](names),
    input: toolInputs[kind],
    async execute(args: unknown, context: ToolContext) {
      try {
        return await run(args as ArgumentsOfTool<Name>, await access(context), context); // validated by the schema
      } catch (error) {
        throw fileError(error, context.language, pathIn(args));
      }
    },
    annotations: toolAnnotations[kind],
    ...(render !== undefined && {
      render: async (args: unknown, context: RenderContext) => {
        try {
          return await render(args as ArgumentsOfTool<Name>, await preview(context)); // validated by the schema
        } catch {
          return undefined; // the call fails with the same error, and a person can still see its arguments
        }
      },
    }),
  });
  return Object.freeze({
    ...made,
    validate: (args: JsonObject, language?: "en" | "zh") => made.validate(completeArguments(kind, args), language),
  });
}

function pathIn(args: unknown): string {
  const given = args as { readonly file_path?: string; readonly path?: string }; // validated by the schema
  return given.file_path ?? given.path ?? "/";
}

const ofFile: readonly FileToolName[] = ["read_file", "write_file", "edit_file", "delete"];

/** Arguments with `path` read as `file_path`, and with numbers in place of digits. Models often write these. */
export function completeArguments(kind: FileToolName, args: JsonObject): JsonObject {
  const { path, ...others } = args;
  const isAlias = ofFile.includes(kind) && path !== undefined && args["file_path"] === undefined;
  const named = isAlias ? { file_path: path, ...others } : args;
  if (kind !== "read_file") return named;
  const digits = Object.entries(named).filter(
    ([key, value]) => (key === "offset" || key === "limit") && typeof value === "string" && /^-?\d{1,15}$/u.test(value),
  );
  if (digits.length === 0) return named;
  return { ...named, ...Object.fromEntries(digits.map(([key, value]) => [key, Number(value)])) };
}
