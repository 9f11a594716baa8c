// Files in a thread: a tool writes them with its result, the program reads them, and copies of the thread have them.
import { createAgent, filesystem, memoryStore, tool } from "undangle/agent";
import { scriptedModel } from "undangle/testing";

const report = tool({
  name: "write_report",
  description: "Writes a report of the sales.",
  async execute(_, { files }) {
    const csv = "product,sold\ntea,12\ncoffee,30\n";
    // Saved in one commit with the result. If the process dies before, the call has written nothing.
    await files.write([{ path: "/sales.csv", data: new TextEncoder().encode(csv) }]);
    return "The report is in /sales.csv.";
  },
});
const model = scriptedModel([
  { calls: [{ name: "write_report" }] },
  { calls: [{ name: "edit_file", arguments: { file_path: "/sales.csv", old_string: "30", new_string: "31" } }] },
  { text: "Done." },
]);
// Without a backend, `filesystem()` gives the model the same files.
const agent = createAgent({ model, tools: [report], middleware: [filesystem()], store: memoryStore() });
const thread = agent.thread("sales");
const textOf = (data: Uint8Array | undefined): string => new TextDecoder().decode(data);

await thread.writeFile("/target.txt", "40 cups a day\n"); // the program writes too
await thread.send("Write the report of the sales, and correct the coffee.").result;
for (const { path, size } of await thread.files()) console.log(`${path}: ${size} bytes`);
console.log(textOf(await thread.readFile("/sales.csv")));

const copy = await thread.fork(undefined, { id: "what-if" });
await copy.writeFile("/sales.csv", "product,sold\ntea,99\n");
console.log("original:", textOf(await thread.readFile("/sales.csv")).split("\n")[1]);
console.log("fork:", textOf(await copy.readFile("/sales.csv")).split("\n")[1]);

const elsewhere = createAgent({ model: scriptedModel([]), store: memoryStore() }).thread("moved");
await elsewhere.import(await thread.export());
console.log("imported:", (await elsewhere.files()).map(({ path }) => path).join(", "));
