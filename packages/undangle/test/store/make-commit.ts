import type { Commit } from "#store";

/** The commit that follows a version: one entry, two calls, four events, two files, each of which says the version. */
export function makeCommit(thread: string, version: number, filling = ""): Commit {
  return {
    thread,
    version,
    at: 1000 + version,
    head: { epoch: 1, owner: "me", status: "running", deadline: undefined, title: undefined, data: { version } },
    entries: [{ value: { version, filling }, text: filling }],
    calls: [0, 1].map((place) => ({ id: `c${version}-${place}`, entry: version, place, value: { version } })),
    events: [1, 2, 3, 4].map((number) => ({ type: "said", data: { version, number } })),
    files: ["/last", `/${version}`].map((path) => ({ path, data: new TextEncoder().encode(String(version)) })),
  };
}
