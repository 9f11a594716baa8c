import { isRecord } from "#core";

import { hasRefusedType } from "../media.ts";

/** The kind of a part. `odd` parts need a closer check. */
export type Kind = "said" | "call" | "signed-call" | "response" | "odd";

/** Classifies a part by its keys: one that sets exactly one non-empty data field. */
export function lookAtPart(part: unknown): Kind {
  if (!isRecord(part)) return "odd";
  let kind: Kind | undefined;
  let isSigned = false;
  let isEmpty = false;
  for (const key in part) {
    const value = part[key];
    switch (key) {
      case "text":
        if (kind !== undefined || typeof value !== "string") return "odd";
        kind = "said";
        isEmpty = value === "";
        break;
      case "functionCall":
      case "function_call":
        if (kind !== undefined || value === null) return "odd";
        kind = "call";
        break;
      case "functionResponse":
      case "function_response":
        if (kind !== undefined || value === null) return "odd";
        kind = "response";
        break;
      case "inlineData":
      case "inline_data":
        if (kind !== undefined || !isRecord(value) || hasRefusedType(value)) return "odd";
        kind = "said";
        break;
      case "fileData":
      case "file_data":
      case "executableCode":
      case "codeExecutionResult":
        if (kind !== undefined || !isRecord(value)) return "odd";
        kind = "said";
        break;
      case "thoughtSignature":
      case "thought_signature":
        isSigned = typeof value === "string" && value !== "";
        break;
      case "thought":
        break;
      default:
        return "odd";
    }
  }
  if (kind === "call" && isSigned) return "signed-call";
  return kind === undefined || (isEmpty && !isSigned) ? "odd" : kind;
}
