import { ApiError } from "../answers/api-error.ts";

/**
 * An answer as JSON, list by list. A small history can have so many faults, each shown with what is around it, that nobody could
 * hold the answer: it is refused as soon as that is seen.
 */
export function writeBounded(answer: Readonly<Record<string, unknown>>, longest: number): string {
  let length = 0;
  const write = (value: unknown): string => {
    const text = JSON.stringify(value) ?? "null";
    length += text.length;
    if (length > longest) throw tooLong(longest);
    return text;
  };
  const fields = Object.entries(answer).flatMap(([name, value]) => {
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
