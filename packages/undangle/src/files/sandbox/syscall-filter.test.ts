import { describe, expect, test } from "vitest";
import { syscallFilter } from "./syscall-filter.ts";

const x64 = 0xc000003e;
const i386 = 0x40000003;
const arm64 = 0xc00000b7;
const allowed = 0x7fff0000;
const refused = 0x00050001;

/** Runs a filter as the kernel does. */
function run(filter: Uint8Array, architecture: number, number: number): number {
  const program = new DataView(filter.buffer);
  let loaded = 0;
  for (let at = 0; at < filter.length; at += 8) {
    const value = program.getUint32(at + 4, true);
    const jump = (isTrue: boolean): void => {
      at += 8 * program.getUint8(at + (isTrue ? 2 : 3));
    };
    switch (program.getUint16(at, true)) {
      case 0x20:
        loaded = value === 4 ? architecture : number;
        break;
      case 0x15:
        jump(loaded === value);
        break;
      case 0x35:
        jump(loaded >= value);
        break;
      case 0x06:
        return value;
      default:
        throw new Error("unknown instruction");
    }
  }
  throw new Error("the program has no end");
}

describe("syscallFilter", () => {
  test.each([
    ["x64", x64, "read", 0, allowed],
    ["x64", x64, "clone3", 435, allowed],
    ["x64", x64, "ptrace", 101, allowed],
    ["x64", x64, "keyctl", 250, refused],
    ["x64", x64, "keyctl of x32", 0x40000000 + 250, refused],
    ["x64", i386, "keyctl of 32 bits", 288, refused],
    ["x64", i386, "read of 32 bits", 3, refused],
    ["x64", x64, "clock_settime", 227, refused],
    ["arm64", arm64, "read", 63, allowed],
    ["arm64", arm64, "keyctl", 219, refused],
    ["arm64", arm64, "keyctl of x64", 250, allowed],
    ["arm64", x64, "another architecture", 0, refused],
  ])("%s (%i): %s, %i", (...[processor, architecture, , number, result]) => {
    expect(run(syscallFilter(processor) ?? new Uint8Array(), architecture, number)).toBe(result);
  });

  test("other processors have no filter", () => {
    expect(syscallFilter("riscv64")).toBeUndefined();
  });
});
