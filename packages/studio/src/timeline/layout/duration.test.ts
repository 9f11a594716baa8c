import { expect, test } from "vitest";

import { exactDuration } from "./duration.ts";

test.each([
  [0, "0ms", "0ms"],
  [999.4, "999ms", "999ms"],
  [999.6, "1s", "1秒"],
  [2_449, "2.4s", "2.4秒"],
  [59_960, "1m", "1分钟"],
  [65_000, "1m 5s", "1分钟 5秒"],
  [7_193_600, "1h 59m", "1小时 59分钟"],
  [90_000_000, "1d 1h", "1天 1小时"],
])("%d ms is %s", (ms, english, chinese) => {
  expect([exactDuration(ms, "en"), exactDuration(ms, "zh")]).toEqual([english, chinese]);
});
