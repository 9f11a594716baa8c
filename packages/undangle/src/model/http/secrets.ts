/** What must not be seen of a request, and the means to take it out of whatever is told about it. */
export interface Secrets {
  /** The text without any secret. */
  readonly hide: (text: string) => string;
  /** True when nothing of a secret can be read in it. */
  readonly isFree: (value: unknown) => boolean;
}

const secretHeaders = /auth|key|token|cookie|secret|signature/iu;

/** What looks like a key of one of the providers: a server may echo one that nobody here knows, such as that of a gateway. */
const keyShapes = /\b(?:(?:sk|gsk|csk|xai|nvapi|pplx|hf)[-_]|AIza|AKIA|ya29\.)(?=[\w-]{0,200}\d)[\w-]{12,}/gu;

/** The key, what stands in headers that carry such things, a password in the address, and what looks like a key. */
export function secretsOf(key: string | undefined, headers: Readonly<Record<string, string>>, address = ""): Secrets {
  const [, password] = /^\w+:\/\/[^/?#:]*:([^/?#]*)@/u.exec(address) ?? [];
  const texts = [
    ...(key === undefined ? [] : [key]),
    ...(password === undefined ? [] : [password]),
    ...Object.entries(headers).flatMap(([name, value]) =>
      secretHeaders.test(name) ? [value, value.replace(/^\w+\s+/u, "")] : [],
    ),
  ].filter((text) => text.length >= 4); // a shorter one would take words apart
  const hide = (text: string): string =>
    texts.reduce((hidden, each) => hidden.replaceAll(each, "***"), text).replaceAll(keyShapes, "***");
  return { hide, isFree: (value) => said(value).every((text) => hide(text) === text) };
}

/** Everything that an error and its causes say. */
function said(value: unknown, depth = 0): readonly string[] {
  if (!(value instanceof Error) || depth > 4) return [String(value)];
  return [value.message, value.stack ?? "", ...(value.cause === undefined ? [] : said(value.cause, depth + 1))];
}
