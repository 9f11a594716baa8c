import { judgeSource } from "./media.ts";
import { isServerResult, messageOf, placeOf, wrongText, type Block, type Turn } from "./turns.ts";
import { isRecord, isText, lengthOf, listOf, recordOf, type Loose } from "../loose.ts";
import type { Verdict } from "../verdict.ts";

/** Judges one block by itself: its type, position, ids, name, input and content. */
export function judgeBlock({ block, path, isObject }: Block, role: Turn["role"]): Verdict[] {
  const type = block["type"];
  if (!isObject || !isText(type)) return [{ id: "ANT-BLOCK", path, text: `${placeOf(path)}.type: Field required` }];
  if (!blockTypes.has(type) && !isServerResult(block)) {
    return [{ id: "ANT-BLOCK", path, text: unknownTag(path, type, blockTypes) }];
  }
  if (type === "text" && typeof block["text"] !== "string") {
    return [{ id: "ANT-BLOCK", path, text: `${placeOf(path)}.text.text: ${wrongText(block["text"])}` }];
  }
  if (type === "tool_use") return judgeToolUse(block, path, role);
  if (type === "tool_result") return judgeToolResult(block, path, role);
  if (type === "thinking") return judgeSignature(block, path);
  if (type === "image" || type === "document") return judgeSource(block, path);
  if (type === "redacted_thinking" && !isText(block["data"])) {
    return [
      {
        id: "ANT-THINK-SIG",
        path: `${path}.data`,
        text: `${placeOf(path)}.redacted_thinking.data: ${wrongText(block["data"])}`,
      },
    ];
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
  const verdicts = judgeId(block["id"], path, "tool_use.id");
  const name = block["name"];
  if (role !== "assistant") {
    const text = `${messageOf(path)}: \`tool_use\` blocks can only be in \`assistant\` messages`;
    verdicts.push({ id: "ANT-BLOCK-ROLE", path, text });
  }
  if (!isText(name) || lengthOf(name) > 200) {
    const text = `${placeOf(path)}.tool_use.name: ${wrongText(name, 200)}`;
    verdicts.push({ id: "ANT-NAME", path: `${path}.name`, text });
  }
  if (!isRecord(block["input"])) {
    const text = block["input"] === undefined ? "Field required" : "Input should be a valid dictionary";
    verdicts.push({ id: "ANT-INPUT-TYPE", path: `${path}.input`, text: `${placeOf(path)}.tool_use.input: ${text}` });
  }
  return verdicts;
}

function judgeToolResult(block: Loose, path: string, role: Turn["role"]): Verdict[] {
  const verdicts = judgeId(block["tool_use_id"], path, "tool_result.tool_use_id");
  if (role !== "user") {
    const text = `${messageOf(path)}: \`tool_result\` blocks can only be in \`user\` messages`;
    verdicts.push({ id: "ANT-BLOCK-ROLE", path, text });
  }
  const content = block["content"];
  if (content === undefined || typeof content === "string") return verdicts;
  if (!Array.isArray(content)) {
    const text = `${placeOf(path)}.tool_result.content: Input should be a valid string`;
    verdicts.push({ id: "ANT-RESULT-CONTENT", path: `${path}.content`, text });
  }
  for (const [index, part] of listOf(content).entries()) {
    verdicts.push(...judgeResultPart(part, `${path}.content[${index}]`));
  }
  return verdicts;
}

/** The last two were added with tool search and browser tools. They were refused before, so they are not judged. */
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
  if (isText(type) && resultPartTypes.has(type)) return judgeSource(recordOf(part), path);
  const named = new Set(["document", "image", "search_result", "text"]);
  const text = isText(type) ? unknownTag(path, type, named) : `${placeOf(path)}.type: Field required`;
  return [
    { id: "ANT-RESULT-CONTENT", path, text },
    { id: "ANT-BLOCK", path, text },
  ];
}

function unknownTag(path: string, type: string, expected: ReadonlySet<string>): string {
  const tags = [...expected].toSorted().map((tag) => `'${tag}'`);
  return `${placeOf(path)}: Input tag '${type}' found using 'type' does not match any of the expected tags: ${tags.join(", ")}`;
}

/** `key` is the field of the id, after the type of the block. */
function judgeId(id: unknown, path: string, key: string): Verdict[] {
  const at = `${path}.${key.replace(/^\w+\./, "")}`;
  const place = `${placeOf(path)}.${key}`;
  if (!isText(id)) return [{ id: "ANT-ID-MISSING", path: at, text: `${place}: ${wrongText(id)}` }];
  if (/^[a-zA-Z0-9_-]+$/.test(id)) return [];
  const text = `${place}: String should match pattern '^[a-zA-Z0-9_-]+$'`;
  return [{ id: "ANT-ID-PATTERN", path: at, text }];
}

function judgeSignature(block: Loose, path: string): Verdict[] {
  const signature = block["signature"];
  const isForeign = (text: string): boolean => /^[0-9a-fA-F]{32,}$/.test(text) || /[^a-zA-Z0-9+/=_-]/.test(text);
  if (isText(signature) && !isForeign(signature)) return [];
  const text =
    typeof signature === "string"
      ? `${placeOf(path)}: Invalid \`signature\` in \`thinking\` block`
      : `${placeOf(path)}.thinking.signature: ${wrongText(signature)}`;
  return [{ id: "ANT-THINK-SIG", path: `${path}.signature`, text }];
}
