/** An address as it may be shown: without the password that is in it. */
export function withoutPassword(text: string): string {
  if (!text.includes("://")) return text;
  if (!URL.canParse(text)) return text.replace(/\/\/.*@/u, "//"); // whatever stands before the last @
  const url = new URL(text);
  url.password = "";
  url.searchParams.delete("password");
  return url.href;
}
