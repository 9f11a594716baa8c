/** Whoever takes log lines in the way of pino: what is known as an object, and a sentence. */
export interface Logger {
  debug?(data: Readonly<Record<string, unknown>>, message: string): void;
  info(data: Readonly<Record<string, unknown>>, message: string): void;
  warn(data: Readonly<Record<string, unknown>>, message: string): void;
  error(data: Readonly<Record<string, unknown>>, message: string): void;
}

/** Takes lines and keeps none. */
export const silent: Logger = {
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

/** The same logger, which cannot disturb what it is told of. */
export function quiet(logger: Logger): Logger {
  if (logger === silent) return silent;
  const tell =
    (level: "info" | "warn" | "error") =>
    (data: Readonly<Record<string, unknown>>, message: string): void => {
      try {
        const written: unknown = logger[level](data, message);
        if (written instanceof Promise) written.catch(() => undefined);
      } catch {
        return; // the logger's own affair
      }
    };
  return { info: tell("info"), warn: tell("warn"), error: tell("error") };
}
