import type { ApprovalRule, GatedCall } from "#engine";
import { canonicalPath, literalPart } from "#files";
import type { Permissions } from "#files";

import { completeArguments } from "./file-tool.ts";
import type { FilesystemSettings } from "./filesystem-options.ts";
import type { FileToolName } from "./tool-texts.ts";

/** The approval rules of permission rules with the mode `ask`. */
export function askRules({ tools, names, rules, permissions }: FilesystemSettings): readonly ApprovalRule[] {
  if (!rules.some(({ mode }) => mode === "ask")) return [];
  return tools
    .filter((kind) => kind !== "execute")
    .map((kind) => ({ tools: names[kind], when: (call) => mustAsk(kind, call, permissions) }));
}

/** True if a call may touch a path that a person has to allow. A call that is denied anyway does not wait. */
function mustAsk(kind: FileToolName, call: GatedCall, permissions: Permissions): boolean {
  const { file_path: file, path, pattern } = completeArguments(kind, call.arguments);
  const given = file ?? path ?? (kind === "glob" && typeof pattern === "string" ? anchorOf(pattern) : "/");
  const canonical = typeof given === "string" ? canonicalPath(given).path : undefined;
  if (canonical === undefined) return false; // the tool refuses it
  const { modeOf, modesIn } = permissions;
  const asks = (modes: ReadonlySet<string>): boolean => modes.has("ask") && !modes.has("deny");
  switch (kind) {
    case "read_file":
      return modeOf("read", canonical) === "ask";
    case "write_file":
      return modeOf("write", canonical) === "ask";
    case "edit_file":
      return asks(new Set([modeOf("read", canonical), modeOf("write", canonical)]));
    case "delete":
      return asks(modesIn("write", canonical));
    default:
      return modesIn("read", canonical).has("ask") && modeOf("read", canonical) !== "deny";
  }
}

/** The directory that a pattern without a path is searched in. */
export function anchorOf(pattern: string): string {
  if (!pattern.startsWith("/")) return "/";
  const literal = literalPart(pattern);
  return literal === pattern ? literal.slice(0, literal.lastIndexOf("/")) || "/" : literal;
}
