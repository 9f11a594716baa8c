import type { Texts } from "../texts/texts.ts";
import type { Fault } from "./open-document.ts";

/** An error of the operating system, as file operations throw it. */
export interface SystemError extends Error {
  readonly code: string;
}

export const isSystemError = (error: unknown): error is SystemError =>
  error instanceof Error && "code" in error && typeof error.code === "string" && /^E[A-Z0-9]+$/.test(error.code);

/** An error of the system in words, with the path that it concerns. */
export function systemText(error: SystemError, texts: Pick<Texts, "systemErrors">): string {
  const said = texts.systemErrors[error.code];
  const path = "path" in error && typeof error.path === "string" ? `${error.path}: ` : "";
  return said === undefined ? error.message : `${path}${said}`;
}

/** Says in words what the system's error means. */
export function systemFault({ code, message }: SystemError, texts: Texts): Fault {
  return { type: "fault", code: `file/${code}`, message: texts.systemErrors[code] ?? message, details: [] };
}
