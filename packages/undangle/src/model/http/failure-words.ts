import { isRecord, parseJson } from "#core";

export interface FailureWords {
  /** The provider's message, shortened for display. */
  readonly message: string;
  /** Its codes and types as `code=…`, for the table of texts. */
  readonly marks: string;
  readonly requestId?: string;
}

const longest = 1000;

/** Reads an error body in any known shape. */
export function failureWords(text: string): FailureWords {
  const body = parseJson(text);
  const message = (body === undefined ? plainText(text) : messageIn(body)) ?? "";
  const requestId = body === undefined ? undefined : idIn(body);
  return {
    message: message.length > longest ? `${message.slice(0, longest)}…` : message,
    marks: body === undefined ? "" : marksIn(body),
    ...(requestId !== undefined && { requestId }),
  };
}

/** The title of an HTML page from a proxy. */
function plainText(text: string): string {
  if (!/^\s*(?:<!doctype|<html|<head|<body|<\?xml)/iu.test(text)) return text.trim();
  const [, title] = /<title[^<>]*>([^<]*)<\/title>/iu.exec(text) ?? [];
  const [, heading] = /<h1[^<>]*>([^<]*)<\/h1>/iu.exec(text) ?? [];
  const said = (title ?? heading ?? "").replaceAll(/\s+/gu, " ").trim();
  return said === "" ? "a page of HTML" : `a page of HTML: ${said}`;
}

function messageIn(value: unknown): string | undefined {
  if (typeof value === "string") return value.trim() === "" ? undefined : value.trim();
  if (Array.isArray(value)) {
    const said = value.flatMap((each) => messageIn(each) ?? []);
    return said.length === 0 ? undefined : said.join("; ");
  }
  if (!isRecord(value)) return undefined;
  const own = messageIn(value["message"] ?? value["msg"] ?? value["status_msg"] ?? value["error_msg"]);
  const upstream = isRecord(value["metadata"]) ? messageIn(value["metadata"]["raw"]) : undefined; // OpenRouter
  if (own !== undefined) return upstream === undefined ? own : `${own}: ${upstream}`;
  for (const key of ["error", "detail", "errors", "base_resp", "response"]) {
    const inner = messageIn(value[key]);
    if (inner !== undefined) return inner;
  }
  return upstream;
}

const markNames = ["code", "type", "status", "status_code", "reason", "param"];

/** The codes of an error at any depth. */
function marksIn(value: unknown, depth = 0): string {
  if (depth > 4 || typeof value !== "object" || value === null) return "";
  if (Array.isArray(value)) return value.map((each) => marksIn(each, depth + 1)).join(" ");
  return Object.entries(value)
    .map(([key, each]: [string, unknown]) => {
      const isMark = markNames.includes(key) && (typeof each === "string" || typeof each === "number");
      return isMark ? `${key}=${each}` : marksIn(each, depth + 1);
    })
    .filter((mark) => mark !== "")
    .join(" ");
}

function idIn(value: unknown): string | undefined {
  if (!isRecord(value)) return undefined;
  const id = value["request_id"] ?? value["requestId"];
  if (typeof id === "string" && id !== "") return id;
  return idIn(value["error"]);
}
