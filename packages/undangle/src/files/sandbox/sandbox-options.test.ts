import { describe, expect, test } from "vitest";
import { type BubblewrapOptions, readOptions, readTimeout } from "./sandbox-options.ts";

describe("options of the sandbox", () => {
  test("have defaults", () => {
    expect(readOptions()).toEqual({
      network: false,
      env: {},
      readOnlyPaths: [],
      user: undefined,
      timeout: 120_000,
      maxTimeout: 3_600_000,
      maxOutput: 10_485_760,
      limits: {
        memory: 1_073_741_824,
        processes: 256,
        cpuSeconds: 3600,
        fileSize: 1_073_741_824,
        tmpSize: 268_435_456,
      },
    });
    expect(readOptions({ limits: { memory: undefined, processes: 5 } }).limits).toMatchObject({
      memory: 1_073_741_824,
      processes: 5,
    });
    expect(readOptions({ maxTimeout: 1000 }).timeout).toBe(1000);
  });

  test.each([
    [{ networks: true }, "options/unknown", "networks"],
    [{ limits: { disk: 1 } }, "options/unknown", "limits.disk"],
    [{ network: "yes" }, "options/value", "network"],
    [{ env: { "A=B": "" } }, "options/value", "env"],
    [{ env: { A: "\0" } }, "options/value", "env.A"],
    [{ env: { A: 1 } }, "options/value", "env.A"],
    [{ readOnlyPaths: "/opt" }, "options/value", "readOnlyPaths"],
    [{ readOnlyPaths: ["opt"] }, "options/value", "readOnlyPaths[0]"],
    [{ readOnlyPaths: ["/opt", "/opt/.."] }, "options/value", "readOnlyPaths[1]"],
    [{ readOnlyPaths: ["/proc/1"] }, "options/value", "readOnlyPaths[0]"],
    [{ readOnlyPaths: ["/dev/"] }, "options/value", "readOnlyPaths[0]"],
    [{ user: { uid: 0, gid: 1 } }, "options/value", "user.uid"],
    [{ user: { uid: 1 } }, "options/value", "user.gid"],
    [{ timeout: 0 }, "options/value", "timeout"],
    [{ maxTimeout: 2 ** 31 }, "options/value", "maxTimeout"],
    [{ timeout: 2000, maxTimeout: 1000 }, "options/value", "timeout"],
    [{ maxOutput: 1.5 }, "options/value", "maxOutput"],
    [{ limits: { memory: -1 } }, "options/value", "limits.memory"],
    [[], "options/value", "options"],
  ])("%j is refused", (options, code, option) => {
    // The type does not allow them; JavaScript does.
    const read = (): unknown => readOptions(options as BubblewrapOptions);
    expect(read).toThrow(expect.objectContaining({ code }));
    expect(read).toThrow(option);
  });

  test("a timeout of a call is limited", () => {
    const settings = readOptions({ timeout: 10, maxTimeout: 20 });
    expect([undefined, 0, 0.5, 20].map((timeout) => readTimeout(timeout, settings))).toEqual([10, 10, 0.5, 20]);
    for (const timeout of [-1, 21, Number.NaN, Infinity])
      expect(() => readTimeout(timeout, settings)).toThrow("timeout");
  });
});
