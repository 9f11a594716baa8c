import { isRecord, isText, listOf, recordOf, type Loose } from "../loose.ts";
import type { Verdict } from "../verdict.ts";
import { isSet, isSigned, type Content, type Held, type Part } from "./contents.ts";

/** What one content alone can do wrong: its parts, their data, names, arguments and places. */
export function judgeParts(content: Content): Verdict[] {
  const { path, parts, calls, responses, role } = content;
  if (parts === undefined || parts.length === 0) {
    return [{ id: "GEM-EMPTY-PARTS", path: `${path}.parts`, text: "contents.parts must not be empty." }];
  }
  return [
    ...parts.flatMap(judgeData),
    ...parts.flatMap(({ path: at, part }) => judgeBytes(part, at)),
    ...calls.flatMap((call) => judgeCall(call, role)),
    ...responses.flatMap((response) => judgeResponse(response, role)),
  ];
}

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
  // A field that the rules do not name may be data that is newer than they are.
  if (set.length === 0 && keys.some((key) => !dataFields.has(camel(key)) && !besides.has(camel(key)))) return [];
  const isEmptyText = set.length === 1 && part["text"] === "" && !isSigned(part);
  if (set.length === 1 && !isEmptyText) return [];
  const text = "required oneof field 'data' must have one initialized field";
  return [{ id: "GEM-EMPTY-PART", path: `${path}.data`, text }];
}

function judgeCall({ path, value }: Held, role: unknown): Verdict[] {
  const { name, args } = value;
  const verdicts: Verdict[] = [];
  if (role !== "model") verdicts.push({ id: "GEM-CALL-ROLE", path, text: "functionCall only in model turns" });
  if (!isText(name) || !/^[A-Za-z_][A-Za-z0-9_.:-]{0,63}$/.test(name)) {
    verdicts.push({ id: "GEM-CALL-NAME", path: `${path}.name`, text: "[FIELD_INVALID] Invalid function name." });
  }
  if (isSet(args) && !isRecord(args)) {
    verdicts.push({ id: "GEM-ARGS-TYPE", path: `${path}.args`, text: "Invalid value (google.protobuf.Struct)" });
  }
  return verdicts;
}

function judgeResponse({ path, value }: Held, role: unknown): Verdict[] {
  const { name, response, parts } = value;
  const verdicts: Verdict[] = [];
  if (role === "model") verdicts.push({ id: "GEM-RESP-ROLE", path, text: "functionResponse not in model turns" });
  if (!isText(name)) verdicts.push({ id: "GEM-RESP-NAME", path: `${path}.name`, text: "Name cannot be empty." });
  if (!isRecord(response) && !(response === undefined && Array.isArray(parts))) {
    const text = "Proto field is not repeating, cannot start list.";
    verdicts.push({ id: "GEM-RESP-TYPE", path: `${path}.response`, text });
  }
  return [
    ...verdicts,
    ...listOf(parts).flatMap((part, index) => judgeBytes(recordOf(part), `${path}.parts[${index}]`)),
  ];
}

/** Images that the API was seen to refuse by the name of their type. */
const refusedTypes: readonly unknown[] = ["image/gif", "image/svg+xml", "image/bmp", "image/tiff", "image/jpg"];

function judgeBytes(part: Loose, path: string): Verdict[] {
  const inside = recordOf(part["inlineData"] ?? part["inline_data"]);
  const type = inside["mimeType"] ?? inside["mime_type"];
  if (typeof inside["data"] !== "string" || typeof type !== "string") return [];
  if (type.includes("/") && !refusedTypes.includes(type)) return [];
  return [{ id: "GEM-MIME", path: `${path}.inlineData.mimeType`, text: `Unsupported MIME type: ${type}` }];
}
