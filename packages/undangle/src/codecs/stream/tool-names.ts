import { isRecord } from "#core";

/** The names of tools, given as names, as definitions in any format, or as the keys of an object. */
export function toolNamesOf(tools: unknown): ReadonlySet<string> | undefined {
  if (tools === undefined || tools === null) return undefined;
  if (!Array.isArray(tools)) return isRecord(tools) ? new Set(Object.keys(tools)) : undefined;
  return new Set(tools.flatMap(namesIn));
}

function namesIn(tool: unknown): readonly string[] {
  if (typeof tool === "string") return [tool];
  if (!isRecord(tool)) return [];
  const declared = tool["functionDeclarations"] ?? tool["function_declarations"];
  if (Array.isArray(declared)) return declared.flatMap(namesIn);
  if (tool["type"] === "namespace" && Array.isArray(tool["tools"])) return tool["tools"].flatMap(namesIn);
  const inner = tool["function"] ?? tool["custom"] ?? tool["toolSpec"];
  if (isRecord(inner)) return namesIn(inner);
  return typeof tool["name"] === "string" ? [tool["name"]] : [];
}
