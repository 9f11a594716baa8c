import { isRecord } from "#core";

/** Converts a schema of Gemini, with types in upper case, to a JSON schema. */
export function readGeminiSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(readGeminiSchema);
  if (!isRecord(schema)) return schema;
  const { type, nullable } = schema;
  const plain = Object.entries(schema)
    .filter(([key]) => key !== "nullable")
    .map(([key, value]): [string, unknown] => [key, readMember(key, value)]);
  const read: Record<string, unknown> = Object.fromEntries<unknown>(plain);
  if (typeof type === "string") read["type"] = nullable === true ? [type.toLowerCase(), "null"] : type.toLowerCase();
  return read;
}

/** Keys under `properties` are names, not schema keywords. */
function readMember(key: string, value: unknown): unknown {
  if (key === "properties" && isRecord(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, readGeminiSchema(inner)]));
  }
  return key === "items" || key === "anyOf" || key === "prefixItems" ? readGeminiSchema(value) : value;
}
