import { UndangleError } from "#core";
import type { ApprovalRule, GatedCall } from "#engine";
import { canonicalPath, literalPart } from "#files";
import type { Permissions } from "#files";

import { permissionsFor, realEntryOf, realPathOf } from "./file-access.ts";
import { completeArguments } from "./file-tool.ts";
import type { FilesystemSettings } from "./filesystem-options.ts";
import type { FileToolName } from "./tool-texts.ts";

/**
 * The approval rules of permission rules with the mode `ask`. A person decides about each call: an allowance would be for
 * all paths of the tool.
 */
export function askRules(settings: FilesystemSettings): readonly ApprovalRule[] {
  const { tools, names, rules } = settings;
  if (!rules.flat().some(({ mode }) => mode === "ask")) return [];
  return tools
    .filter((kind) => kind !== "execute")
    .map((kind) => ({ tools: names[kind], when: (call) => mustAsk(kind, call, settings), always: false }));
}

/** True if a call may touch a path that a person has to allow. A call that is denied anyway does not wait. */
async function mustAsk(
  kind: FileToolName,
  call: GatedCall,
  { source, rules, permissions }: FilesystemSettings,
): Promise<boolean> {
  const { file_path: file, path, pattern } = completeArguments(kind, call.arguments);
  const given = file ?? path ?? (kind === "glob" && typeof pattern === "string" ? anchorOf(pattern) : "/");
  const canonical = typeof given === "string" ? canonicalPath(given).path : undefined;
  if (canonical === undefined) return false; // the tool refuses it
  if (typeof source === "function") return asksFor(kind, canonical, permissions); // the tool refuses links
  const real = await (kind === "delete" ? realEntryOf : realPathOf)(source, canonical).catch((error: unknown) => {
    if (error instanceof UndangleError) return canonical; // the tool fails with it
    throw error;
  });
  const followed = await permissionsFor(source, { rules, permissions });
  return asksFor(kind, canonical, followed) || (real !== canonical && asksFor(kind, real, followed));
}

function asksFor(kind: FileToolName, path: string, { modeOf, modesIn }: Permissions): boolean {
  const asks = (modes: ReadonlySet<string>): boolean => modes.has("ask") && !modes.has("deny");
  switch (kind) {
    case "read_file":
      return modeOf("read", path) === "ask";
    case "write_file":
      return modeOf("write", path) === "ask";
    case "edit_file":
      return asks(new Set([modeOf("read", path), modeOf("write", path)]));
    case "delete":
      // A file is deleted by its own mode, whatever is denied in a directory of its name.
      return modeOf("write", path) === "ask" || asks(modesIn("write", path));
    default:
      return modesIn("read", path).has("ask") && modeOf("read", path) !== "deny";
  }
}

/** The directory that a pattern without a path is searched in. */
export function anchorOf(pattern: string): string {
  if (!pattern.startsWith("/")) return "/";
  const literal = literalPart(pattern);
  return literal === pattern ? literal.slice(0, literal.lastIndexOf("/")) || "/" : literal;
}
