import { ApiError } from "../responses/api-error.ts";

/**
 * Writes a response as JSON, list by list. A small history can have so many problems, each with its context, that the
 * response would not fit in memory. It is refused as soon as it exceeds the limit.
 */
export function writeBounded(result: Readonly<Record<string, unknown>>, longest: number): string {
  let length = 0;
  const write = (value: unknown): string => {
    const text = JSON.stringify(value) ?? "null";
    length += text.length;
    if (length > longest) throw tooLong(longest);
    return text;
  };
  const fields = Object.entries(result).flatMap(([name, value]) => {
    if (value === undefined) return [];
    const text = Array.isArray(value) ? `[${value.map(write).join(",")}]` : write(value);
    return [`${JSON.stringify(name)}:${text}`];
  });
  return `{${fields.join(",")}}`;
}

const tooLong = (longest: number): ApiError =>
  new ApiError(
    422,
    "response-too-long",
    `This history has so many problems that the response would exceed ${longest} characters. Send it in parts, or repair it with the library.`,
    { param: "history" },
  );
