import { UndangleError } from "#core";

/** Converts errors of JSON serialization to an `UndangleError`. */
export function guard<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof RangeError && /call stack/i.test(error.message)) {
      throw new UndangleError("input/too-deep", { path: "a message" }, error);
    }
    if (error instanceof TypeError && /circular|cyclic/i.test(error.message)) {
      throw new UndangleError("input/cyclic", { path: "a message" }, error);
    }
    if (error instanceof TypeError && /BigInt/.test(error.message)) {
      const data = { path: "A value of a message", expected: "JSON", got: "a BigInt" };
      throw new UndangleError("input/shape", data, error);
    }
    throw error;
  }
}
