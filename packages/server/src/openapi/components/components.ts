import type { Schema } from "../json-schema.ts";
import { accessComponents } from "./access-components.ts";
import { callComponents } from "./call-components.ts";
import { chatComponents } from "./chat-components.ts";
import { eventComponents } from "./event-components.ts";
import { historyComponents } from "./history-components.ts";
import { inspectionComponents } from "./inspection-components.ts";
import { requestComponents } from "./request-components.ts";
import { threadComponents } from "./thread-components.ts";

/** Every schema of the document, by its name. */
export const components: Readonly<Record<string, Schema>> = {
  ...threadComponents,
  ...callComponents,
  ...eventComponents,
  ...inspectionComponents,
  ...chatComponents,
  ...requestComponents,
  ...historyComponents,
  ...accessComponents,
};
