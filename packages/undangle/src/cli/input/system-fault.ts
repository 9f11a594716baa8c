import type { Texts } from "../texts/texts.ts";
import type { Fault } from "./open-document.ts";

/** An error of the operating system, as thrown by file operations. */
export interface SystemError extends Error {
  readonly code: string;
}

export const isSystemError = (error: unknown): error is SystemError =>
  error instanceof Error && "code" in error && typeof error.code === "string" && /^E[A-Z0-9]+$/.test(error.code);

/** A description of a system error, with its path. */
export function systemText(error: SystemError, texts: Pick<Texts, "systemErrors">): string {
  const said = texts.systemErrors[error.code];
  const path = "path" in error && typeof error.path === "string" ? `${error.path}: ` : "";
  return said === undefined ? error.message : `${path}${said}`;
}

/** A description of a system error. */
export function systemFault({ code, message }: SystemError, texts: Texts): Fault {
  return { type: "fault", code: `file/${code}`, message: texts.systemErrors[code] ?? message, details: [] };
}
