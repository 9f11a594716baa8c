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
])("hides the secret in %s", (text, shown) => {
  expect(hideKeys(text)).toBe(shown);
});

test.each([
  "Bearer tokens are sent in a header.",
  "https://a.b/search?q=key&sort=token&page=2",
  "The word risk-management-and-compliance is no key.",
  "The key=value pairs of a file",
])("leaves %s as it is", (text) => {
  expect(hideKeys(text)).toBe(text);
});
