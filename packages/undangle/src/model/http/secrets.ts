import { hideKeys } from "#core";

/** The secrets of a request, and functions that remove them from texts. */
export interface Secrets {
  readonly hide: (text: string) => string;
  /** True if the value contains no secret. */
  readonly isFree: (value: unknown) => boolean;
}

/** The names of headers with secret values. */
export const secretHeaders: RegExp = /auth|key|token|cookie|secret|signature/iu;

/** The key, the values of sensitive headers, a password in the address, and texts that look like keys. */
export function secretsOf(key: string | undefined, headers: Readonly<Record<string, string>>, address = ""): Secrets {
  const [, password] = /^\w+:\/\/[^/?#:]*:([^/?#]*)@/u.exec(address) ?? [];
  const texts = [
    ...(key === undefined ? [] : [key]),
    ...(password === undefined ? [] : [password]),
    ...Object.entries(headers).flatMap(([name, value]) =>
      secretHeaders.test(name) ? [value, value.replace(/^\w+\s+/u, "")] : [],
    ),
  ].filter((text) => text.length >= 4); // a shorter one would match ordinary words
  const hide = (text: string): string => hideKeys(texts.reduce((hidden, each) => hidden.replaceAll(each, "***"), text));
  return { hide, isFree: (value) => said(value).every((text) => hide(text) === text) };
}

/** All texts of an error and its causes. */
function said(value: unknown, depth = 0): readonly string[] {
  if (!(value instanceof Error) || depth > 4) return [String(value)];
  return [value.message, value.stack ?? "", ...(value.cause === undefined ? [] : said(value.cause, depth + 1))];
}
