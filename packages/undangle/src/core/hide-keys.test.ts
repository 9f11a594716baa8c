import { expect, test } from "vitest";

import { hideKeys } from "./hide-keys.ts";

test.each([
  ["The key sk-proj-abcdefgh12345678 is wrong.", "The key *** is wrong."],
  ["AIzaSyA1234567890abcdefghijklmnop", "***"],
  ["ghp_16C7e42F292c6912E7710c838347Ae178B4a", "***"],
  ["xoxb-123456789012-abcdefABCDEF", "***"],
  ["https://a.b/v1?key=abc123&x=1", "https://a.b/v1?key=***&x=1"],
  [
    '{"url":"https://a.b/f?X-Amz-Signature=0a1b2c&access_token=xyz9"}',
    '{"url":"https://a.b/f?X-Amz-Signature=***&access_token=***"}',
  ],
  ["Authorization: Bearer 0123456789abcdef0123", "Authorization: Bearer ***"],
  ["x ud_0123456789ab_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNO_-", "x ***"],
  [String.raw`\u8bf7\uff1ask-proj-abcdefgh12345678`, String.raw`\u8bf7\uff1a***`],
  [
    String.raw`{"url":"https://a.b/f?a=1\u0026key=abc123\u0026x=1"}`,
    String.raw`{"url":"https://a.b/f?a=1\u0026key=***\u0026x=1"}`,
  ],
])("hides the secret in %s", (text, shown) => {
  expect(hideKeys(text)).toBe(shown);
});

test.each(["\n", "\t", "\r", "\f", "\b", '"', "\\"])(
  "hides secrets after %j in texts of JSON, also of JSON in JSON",
  (before) => {
    const secrets = ["sk-proj-abcdefgh12345678", "ud_0123456789ab_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNO_-"];
    const text = [...secrets, "Bearer 0123456789abcdef0123"]
      .map((secret) => `My key:${before}${secret}${before}`)
      .join("");
    const hidden = text
      .replaceAll(secrets[0] ?? "", "***")
      .replaceAll(secrets[1] ?? "", "***")
      .replace(/(?<=Bearer )\w+/u, "***");
    const json = JSON.stringify({ text });
    expect(JSON.parse(hideKeys(json))).toEqual({ text: hidden });
    expect(JSON.parse(hideKeys(JSON.stringify({ json })))).toEqual({ json: JSON.stringify({ text: hidden }) });
  },
);

test.each([
  "Bearer tokens are sent in a header.",
  "https://a.b/search?q=key&sort=token&page=2",
  "The word risk-management-and-compliance is no key.",
  "The key=value pairs of a file",
])("leaves %s as it is", (text) => {
  expect(hideKeys(text)).toBe(text);
});
