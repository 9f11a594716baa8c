import { fieldsIn } from "../record.ts";

/** The text of a message, without parts that are not text. */
export function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .map((part: unknown) => {
      if (typeof part === "string") return part;
      const { text } = fieldsIn(part);
      return typeof text === "string" ? text : "";
    })
    .join("");
}
