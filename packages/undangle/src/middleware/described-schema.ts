import { isRecord } from "#core";
import type { ToolDescription } from "#model";

/** A schema of arguments with other descriptions, for a model that works in another language. */
export function describedSchema(
  schema: ToolDescription["schema"],
  descriptions: Readonly<Record<string, string>>,
): ToolDescription["schema"] {
  const properties = isRecord(schema["properties"]) ? schema["properties"] : {};
  const described = Object.entries(properties).map(([name, property]) => {
    const description = descriptions[name];
    return [name, isRecord(property) && description !== undefined ? { ...property, description } : property] as const;
  });
  return { ...schema, properties: Object.fromEntries(described) };
}
