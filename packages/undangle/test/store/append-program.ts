/** Appends to a thread of a database and says of each commit when it is saved: `append-program.ts PLACE THREAD COMMITS [LENGTH [NOT_BEFORE]]`. */
import { writeSync } from "node:fs";

import { openStore } from "./open-store.ts";
import { makeCommit } from "./make-commit.ts";

const [place = "", thread = "", commits = "1", length = "10", notBefore = "0"] = process.argv.slice(2);
while (Date.now() < Number(notBefore)); // so that several processes begin in the same millisecond
try {
  const store = await openStore(place);
  writeSync(1, "open\n");
  const first = (await store.load(thread))?.version ?? 0;
  for (let version = first; version < first + Number(commits); version += 1) {
    await store.commit(makeCommit(thread, version, "x".repeat(Number(length))));
    writeSync(1, `${version + 1}\n`);
  }
  await store.close();
  writeSync(1, "closed\n");
} catch (error) {
  writeSync(1, `${error instanceof Error && "code" in error ? String(error.code) : String(error)}\n`);
  process.exitCode = 1;
}
