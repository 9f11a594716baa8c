import type { Store } from "#store";
import { expect } from "vitest";

/** How many commits of a thread are in a store, each of which is whole. */
export async function wholeCommitsIn(store: Store, thread: string): Promise<number> {
  const head = await store.load(thread);
  const version = head?.version ?? 0;
  const each = Array.from({ length: version }, (_, index) => index);
  const versionOf = (value: unknown) => (value as { version: number }).version; // that is what the program writes
  expect([head?.entries ?? 0, head?.lastEvent ?? 0]).toEqual([version, version * 4]);
  expect((await store.entries(thread)).map(({ value }) => versionOf(value))).toEqual(each);
  expect((await store.calls(thread)).map(({ value }) => versionOf(value))).toEqual(each.flatMap((at) => [at, at]));
  expect((await store.events(thread)).map(({ data }) => versionOf(data))).toEqual(
    each.flatMap((at) => [at, at, at, at]),
  );
  const files = await Promise.all(["/last", `/${version - 1}`].map((path) => store.file(thread, path)));
  const last = version === 0 ? undefined : String(version - 1);
  expect(files.map((file) => file && new TextDecoder().decode(file.data))).toEqual([last, last]);
  expect(await store.files(thread)).toHaveLength(version === 0 ? 0 : version + 1);
  return version;
}
