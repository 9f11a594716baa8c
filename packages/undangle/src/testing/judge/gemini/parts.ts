import { isRecord, isText, listOf, recordOf, type Loose } from "../loose.ts";
import type { Verdict } from "../verdict.ts";
import { fieldAt, isSet, isSigned, type Content, type Held, type Part } from "./contents.ts";

/** Judges one content by itself: its parts, their data, names, arguments and positions. */
export function judgeParts(content: Content): Verdict[] {
  const { path, parts, calls, responses, role } = content;
  if (parts === undefined || parts.length === 0) {
    return [{ id: "GEM-EMPTY-PARTS", path: `${path}.parts`, text: emptyParts(path) }];
  }
  return [
    ...parts.flatMap(judgeData),
    ...parts.flatMap(({ path: at, part }) => judgeBytes(part, at)),
    ...calls.flatMap((call) => judgeCall(call, role)),
    ...responses.flatMap((response) => judgeResponse(response, role)),
  ];
}

const emptyParts = (path: string): string =>
  `* GenerateContentRequest.${path}.parts: contents.parts must not be empty.`;

const dataFields: ReadonlySet<string> = new Set([
  "text",
  "inlineData",
  "fileData",
  "functionCall",
  "functionResponse",
  "executableCode",
  "codeExecutionResult",
  "toolCall",
  "toolResponse",
]);

const besides: ReadonlySet<string> = new Set([
  "thought",
  "thoughtSignature",
  "videoMetadata",
  "mediaResolution",
  "partMetadata",
]);

const camel = (key: string): string => key.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

function judgeData({ path, part }: Part): Verdict[] {
  const keys = Object.keys(part);
  const set = keys.filter((key) => dataFields.has(camel(key)) && isSet(part[key]));
  // An unknown field may be a newer kind of data.
  if (set.length === 0 && keys.some((key) => !dataFields.has(camel(key)) && !besides.has(camel(key)))) return [];
  const isEmptyText = set.length === 1 && part["text"] === "" && !isSigned(part);
  if (set.length === 1 && !isEmptyText) return [];
  const text = `* GenerateContentRequest.${path}.data: required oneof field 'data' must have one initialized field`;
  return [{ id: "GEM-EMPTY-PART", path: `${path}.data`, text }];
}

function judgeCall({ path, value }: Held, role: unknown): Verdict[] {
  const { name, args } = value;
  const verdicts: Verdict[] = [];
  if (role !== "model") verdicts.push({ id: "GEM-CALL-ROLE", path, text: "functionCall only in model turns" });
  if (!isText(name) || !/^[A-Za-z_][A-Za-z0-9_.:-]{0,63}$/.test(name)) {
    const text = `* GenerateContentRequest.${fieldAt(path)}.name: ${invalidGeminiName}`;
    verdicts.push({ id: "GEM-CALL-NAME", path: `${path}.name`, text });
  }
  if (isSet(args) && !isRecord(args)) {
    verdicts.push({ id: "GEM-ARGS-TYPE", path: `${path}.args`, text: noStruct(`${path}.args`, args) });
  }
  return verdicts;
}

export const invalidGeminiName =
  "[FIELD_INVALID] Invalid function name. Must start with a letter or an underscore. Must be a-z, A-Z, 0-9, or contain underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 64.";

/** The error for a value where an object is required. */
function noStruct(path: string, value: unknown): string {
  const field = fieldAt(path);
  if (!Array.isArray(value)) {
    return `Invalid value at '${field}' (type.googleapis.com/google.protobuf.Struct), ${JSON.stringify(value) ?? "null"}`;
  }
  const [, holder = "", name = ""] = /^(.*)\.(\w+)$/.exec(field) ?? [];
  return `Invalid JSON payload received. Unknown name "${name}" at '${holder}': Proto field is not repeating, cannot start list.`;
}

function judgeResponse({ path, value }: Held, role: unknown): Verdict[] {
  const { name, response, parts } = value;
  const verdicts: Verdict[] = [];
  if (role === "model") verdicts.push({ id: "GEM-RESP-ROLE", path, text: "functionResponse not in model turns" });
  if (!isText(name)) {
    const text = `* GenerateContentRequest.${fieldAt(path)}.name: Name cannot be empty.`;
    verdicts.push({ id: "GEM-RESP-NAME", path: `${path}.name`, text });
  }
  if (!isRecord(response) && !(response === undefined && Array.isArray(parts))) {
    verdicts.push({
      id: "GEM-RESP-TYPE",
      path: `${path}.response`,
      text: noStruct(`${path}.response`, response),
    });
  }
  return [
    ...verdicts,
    ...listOf(parts).flatMap((part, index) => judgeBytes(recordOf(part), `${path}.parts[${index}]`)),
  ];
}

/** Image types that the API has been observed to refuse. */
const refusedTypes: readonly unknown[] = ["image/gif", "image/svg+xml", "image/bmp", "image/tiff", "image/jpg"];

function judgeBytes(part: Loose, path: string): Verdict[] {
  const inside = recordOf(part["inlineData"] ?? part["inline_data"]);
  const type = inside["mimeType"] ?? inside["mime_type"];
  if (typeof inside["data"] !== "string" || typeof type !== "string") return [];
  if (type.includes("/") && !refusedTypes.includes(type)) return [];
  return [{ id: "GEM-MIME", path: `${path}.inlineData.mimeType`, text: `Unsupported MIME type: ${type}` }];
}
