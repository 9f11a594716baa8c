import { judgeSource } from "./media.ts";
import { isServerResult, type Block, type Turn } from "./turns.ts";
import { isRecord, isText, lengthOf, listOf, recordOf, type Loose } from "../loose.ts";
import type { Verdict } from "../verdict.ts";

/** What one block alone can do wrong: its type, its place, its ids, name, input and content. */
export function judgeBlock({ block, path, isObject }: Block, role: Turn["role"]): Verdict[] {
  const type = block["type"];
  if (!isObject || !isText(type)) return [{ id: "ANT-BLOCK", path, text: "type: Field required" }];
  if (!blockTypes.has(type) && !isServerResult(block)) {
    return [{ id: "ANT-BLOCK", path, text: `Input tag '${type}' does not match any of the expected tags` }];
  }
  if (type === "text" && typeof block["text"] !== "string") {
    return [{ id: "ANT-BLOCK", path, text: "text: Field required" }];
  }
  if (type === "tool_use") return judgeToolUse(block, path, role);
  if (type === "tool_result") return judgeToolResult(block, path, role);
  if (type === "thinking") return judgeSignature(block, path);
  if (type === "image" || type === "document") return judgeSource(block, path);
  if (type === "redacted_thinking" && !isText(block["data"])) {
    return [{ id: "ANT-THINK-SIG", path: `${path}.data`, text: "data: Field required" }];
  }
  return [];
}

const blockTypes: ReadonlySet<string> = new Set([
  "text",
  "image",
  "document",
  "search_result",
  "container_upload",
  "compaction",
  "fallback",
  "mcp_tool_listing",
  "tool_reference",
  "thinking",
  "redacted_thinking",
  "tool_use",
  "tool_result",
  "server_tool_use",
  "mcp_tool_use",
  "mcp_tool_result",
]);

function judgeToolUse(block: Loose, path: string, role: Turn["role"]): Verdict[] {
  const verdicts = judgeId(block["id"], `${path}.id`);
  const name = block["name"];
  if (role !== "assistant") {
    verdicts.push({ id: "ANT-BLOCK-ROLE", path, text: "`tool_use` blocks can only be in `assistant` messages" });
  }
  if (!isText(name) || lengthOf(name) > 200) {
    verdicts.push({ id: "ANT-NAME", path: `${path}.name`, text: "String should have 1 to 200 characters" });
  }
  if (!isRecord(block["input"])) {
    verdicts.push({ id: "ANT-INPUT-TYPE", path: `${path}.input`, text: "Input should be a valid dictionary" });
  }
  return verdicts;
}

function judgeToolResult(block: Loose, path: string, role: Turn["role"]): Verdict[] {
  const verdicts = judgeId(block["tool_use_id"], `${path}.tool_use_id`);
  if (role !== "user") {
    verdicts.push({ id: "ANT-BLOCK-ROLE", path, text: "`tool_result` blocks can only be in `user` messages" });
  }
  const content = block["content"];
  if (content === undefined || typeof content === "string") return verdicts;
  if (!Array.isArray(content)) {
    verdicts.push({ id: "ANT-RESULT-CONTENT", path: `${path}.content`, text: "Input should be a valid string/list" });
  }
  for (const [index, part] of listOf(content).entries()) {
    verdicts.push(...judgeResultPart(part, `${path}.content[${index}]`));
  }
  return verdicts;
}

/** The last two came with tool search and with tools of a browser; refused before, so they are left in peace. */
const resultPartTypes: ReadonlySet<string> = new Set([
  "text",
  "image",
  "document",
  "search_result",
  "tool_reference",
  "browser_state",
]);

function judgeResultPart(part: unknown, path: string): Verdict[] {
  const type = recordOf(part)["type"];
  if (!isText(type)) {
    return [
      { id: "ANT-RESULT-CONTENT", path, text: "Input should be a valid string/list" },
      { id: "ANT-BLOCK", path, text: "type: Field required" },
    ];
  }
  if (resultPartTypes.has(type)) return judgeSource(recordOf(part), path);
  const text = `Input tag '${type}' does not match any of the expected tags: 'document', 'image', 'search_result', 'text'`;
  return [
    { id: "ANT-RESULT-CONTENT", path, text },
    { id: "ANT-BLOCK", path, text },
  ];
}

function judgeId(id: unknown, path: string): Verdict[] {
  if (!isText(id)) return [{ id: "ANT-ID-MISSING", path, text: "Field required" }];
  if (/^[a-zA-Z0-9_-]+$/.test(id)) return [];
  return [{ id: "ANT-ID-PATTERN", path, text: "String should match pattern '^[a-zA-Z0-9_-]+$'" }];
}

function judgeSignature(block: Loose, path: string): Verdict[] {
  const signature = block["signature"];
  const isForeign = (text: string): boolean => /^[0-9a-fA-F]{32,}$/.test(text) || /[^a-zA-Z0-9+/=_-]/.test(text);
  if (isText(signature) && !isForeign(signature)) return [];
  return [{ id: "ANT-THINK-SIG", path: `${path}.signature`, text: "Invalid `signature` in `thinking` block" }];
}
