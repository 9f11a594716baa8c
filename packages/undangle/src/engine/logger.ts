import type { JsonObject } from "#core";

/** A logger in the style of pino: an object and a message. */
export interface Logger {
  debug?(data: JsonObject, message: string): void;
  info(data: JsonObject, message: string): void;
  warn(data: JsonObject, message: string): void;
  error(data: JsonObject, message: string): void;
}

/** A logger that ignores everything. */
export const silent: Logger = {
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

/** Wraps a logger and ignores its errors. */
export function quiet(logger: Logger): Logger {
  if (logger === silent) return silent;
  const write =
    (level: "info" | "warn" | "error") =>
    (data: JsonObject, message: string): void => {
      try {
        const written: unknown = logger[level](data, message);
        if (written instanceof Promise) written.catch(() => undefined);
      } catch {
        return; // a failing logger must not affect the run
      }
    };
  return { info: write("info"), warn: write("warn"), error: write("error") };
}
