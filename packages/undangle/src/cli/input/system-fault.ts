import type { Texts } from "../texts/texts.ts";
import type { Fault } from "./open-document.ts";

/** An error of the operating system, as file operations throw it. */
export interface SystemError extends Error {
  readonly code: string;
}

export const isSystemError = (error: unknown): error is SystemError =>
  error instanceof Error && "code" in error && typeof error.code === "string" && /^E[A-Z0-9]+$/.test(error.code);

/** Says in words what the system's error means. */
export function systemFault({ code, message }: SystemError, texts: Texts): Fault {
  return { type: "fault", code: `file/${code}`, message: texts.systemErrors[code] ?? message, details: [] };
}
