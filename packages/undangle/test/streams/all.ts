import { anthropic } from "./anthropic.ts";
import { bedrock } from "./bedrock.ts";
import type { StreamFixture } from "./build.ts";
import { chatArguments } from "./chat-arguments.ts";
import { chatEndings } from "./chat-endings.ts";
import { chatIds } from "./chat-ids.ts";
import { chatIndexes } from "./chat-indexes.ts";
import { chatNames } from "./chat-names.ts";
import { chatTurns } from "./chat-turns.ts";
import { gemini } from "./gemini.ts";
import { leaks } from "./leaks.ts";
import { ollama } from "./ollama.ts";
import { responses } from "./responses.ts";
import { transport } from "./transport.ts";

/** Every stream, as servers are known to send them. */
export const allStreams: readonly StreamFixture[] = [
  ...chatIds,
  ...chatIndexes,
  ...chatNames,
  ...chatArguments,
  ...chatTurns,
  ...chatEndings,
  ...transport,
  ...leaks,
  ...anthropic,
  ...bedrock,
  ...gemini,
  ...responses,
  ...ollama,
];
