import { hideKeys } from "#core";

import type { RequestTarget } from "../model.ts";
import { secretHeaders } from "./secrets.ts";

interface SentTo {
  readonly url: string;
  /** Headers without secrets: `$` and the variable `key` are in place of the key. */
  readonly sent: Readonly<Record<string, string>>;
  /** The variable of the key, if one is sent. */
  readonly key: string | undefined;
  /** The headers of the option `headers`, which may contain secrets. */
  readonly own: Readonly<Record<string, string>>;
}

/** The target of a request, with variables in place of its secrets. */
export function requestTarget({ url, sent, key, own }: SentTo): RequestTarget {
  const headers: Record<string, string> = { ...sent };
  const variables = new Set<string>();
  for (const [name, value] of Object.entries(own)) {
    headers[name] = hideKeys(value);
    if (!secretHeaders.test(name)) continue;
    const [, scheme = ""] = /^(\w+\s+)\S/u.exec(value) ?? [];
    headers[name] = `${scheme}$${variableOf(name)}`;
    variables.add(variableOf(name));
  }
  if (key !== undefined && Object.values(headers).some((value) => value.includes(`$${key}`))) variables.add(key);
  const shown = url.replace(/^(\w+:\/\/)[^/?#]*@/u, "$1***@"); // a name and a password
  return { url: hideKeys(shown), headers, variables: [...variables] };
}

/** The variable of a shell for the value of a header: `X_GATEWAY_TOKEN`. */
const variableOf = (name: string): string => name.toUpperCase().replaceAll(/\W|^(?=\d)/gu, "_");
