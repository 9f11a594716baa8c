import { expect, test } from "vitest";

import { durationText } from "./duration.ts";

test.each([
  [0, "0 ms", "0 毫秒"],
  [604, "604 ms", "604 毫秒"],
  [999.4, "999 ms", "999 毫秒"],
  [999.6, "1 s", "1 秒"],
  [1_249, "1.2 s", "1.2 秒"],
  [59_940, "59.9 s", "59.9 秒"],
  [59_960, "1 min", "1 分钟"],
  [99_400, "1 min 39 s", "1 分 39 秒"],
  [119_998, "2 min", "2 分钟"],
  [3_599_700, "1 h", "1 小时"],
  [7_193_600, "1 h 59 min", "1 小时 59 分"],
  [90_000_000, "1 d 1 h", "1 天 1 小时"],
  [86_400_000 * 1_234, "1,234 d", "1,234 天"],
])("%d ms is %s", (ms, english, chinese) => {
  expect([durationText(ms, "en"), durationText(ms, "zh")]).toEqual([english, chinese]);
});
