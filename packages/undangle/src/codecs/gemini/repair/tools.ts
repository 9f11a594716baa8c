import { isRecord } from "#core";
import type { JsonObject } from "#core";

export function toolNames(body: JsonObject | undefined): string[] {
  const config = body?.["config"];
  const tools = body?.["tools"] ?? (isRecord(config) ? config["tools"] : undefined);
  if (!Array.isArray(tools)) return [];
  return tools.flatMap((tool: unknown) => {
    if (!isRecord(tool)) return [];
    const declared = tool["functionDeclarations"] ?? tool["function_declarations"];
    if (!Array.isArray(declared)) return [];
    return declared.flatMap((one: unknown) => (isRecord(one) && typeof one["name"] === "string" ? [one["name"]] : []));
  });
}
