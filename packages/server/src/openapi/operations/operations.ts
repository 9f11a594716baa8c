import type { Operation } from "../operation.ts";
import { accessOperations } from "./access-operations.ts";
import { chatOperations } from "./chat-operations.ts";
import { fileOperations } from "./file-operations.ts";
import { historyOperations } from "./history-operations.ts";
import { inspectionOperations } from "./inspection-operations.ts";
import { runOperations } from "./run-operations.ts";
import { serverOperations } from "./server-operations.ts";
import { threadOperations } from "./thread-operations.ts";

/** Every route of the server, by its method and path. */
export const operations: Readonly<Record<string, Operation>> = {
  ...chatOperations,
  ...threadOperations,
  ...runOperations,
  ...inspectionOperations,
  ...fileOperations,
  ...historyOperations,
  ...accessOperations,
  ...serverOperations,
};
