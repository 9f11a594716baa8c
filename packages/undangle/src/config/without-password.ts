/** The address of a store without passwords, for logs and screens. A path is unchanged. */
export function withoutPassword(address: string): string {
  if (!isAddress(address)) return address;
  if (!/^[^:]+:\/\//u.test(address) || !URL.canParse(address))
    return address
      .replace(userPart, "$1")
      .replaceAll(parameter, (all, name: string) => (isSecret.test(name) ? "" : all));
  const url = new URL(address);
  const secrets = [...url.searchParams.keys()].filter((name) => isSecret.test(name));
  if (url.password === "" && secrets.length === 0) return address;
  url.password = "";
  for (const name of secrets) url.searchParams.delete(name);
  return url.href;
}

/** Not a path, nor a Windows drive. The rest of `sqlite:` is a path too. */
const isAddress = (text: string): boolean => /^(?!sqlite:)[a-z][a-z\d+.-]+:/iu.test(text);

/** Everything before the last @, because an invalid address may have its password anywhere. */
const userPart = /^([a-z][a-z\d+.-]+:(?:\/\/)?).*@/iu;

const parameter = /[?&]([^=&?]*)=[^&]*/gu;
const isSecret = /pass|secret|token/iu;
