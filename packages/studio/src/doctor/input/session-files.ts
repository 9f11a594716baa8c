import { isRecord } from "../../parts/json-record.ts";
import { parseJson } from "./parse-json.ts";

/** The session file of an agent. */
interface SessionFile {
  readonly agent: string;
  /** True for the first records of such a file, or for the start of its text. */
  readonly isOwn: (head: Head) => boolean;
}

interface Head {
  readonly text: string;
  /** The first lines that are JSON objects. */
  readonly records: readonly Readonly<Record<string, unknown>>[];
}

/**
 * The session files that are recognised. Their readers will be here: a session is not a history, because its active
 * messages are the records on the way from its last one to its first.
 */
const sessionFiles: readonly SessionFile[] = [
  { agent: "Codex", isOwn: ({ records: [first] }) => first?.["type"] === "session_meta" && isRecord(first["payload"]) },
  {
    agent: "Copilot CLI",
    isOwn: ({ records: [first] }) => first?.["type"] === "session.start" && isRecord(first["data"]),
  },
  { agent: "Gemini CLI", isOwn: ({ records: [first] }) => hasKeys(first, ["sessionId", "projectHash"]) },
  { agent: "pi", isOwn: ({ records: [first] }) => first?.["type"] === "session" && hasKeys(first, ["id", "cwd"]) },
  { agent: "Kimi CLI", isOwn: ({ records: [first] }) => first?.["role"] === "_system_prompt" },
  {
    agent: "Qwen Code",
    isOwn: ({ records }) => records.some((record) => isTreeRecord(record) && hasKeys(record["message"], ["parts"])),
  },
  {
    agent: "Claude Code",
    isOwn: ({ records }) => records.some((record) => isTreeRecord(record) && hasKeys(record["message"], ["role"])),
  },
  { agent: "opencode", isOwn: ({ text }) => /^\s*\{\s*"info":\s*\{\s*"id":\s*"ses_/u.test(text) },
];

/** The agent whose session file this is. */
export function agentOfSession(text: string): string | undefined {
  const head: Head = { text: text.slice(0, headLength), records: firstRecords(text.slice(0, headLength)) };
  return sessionFiles.find(({ isOwn }) => isOwn(head))?.agent;
}

const headLength = 262_144;

/** The number of lines to read: events of hooks and snapshots of files may precede the first message. */
const headLines = 50;

function firstRecords(head: string): readonly Readonly<Record<string, unknown>>[] {
  return head
    .split("\n", headLines)
    .filter((line) => line.startsWith("{"))
    .flatMap((line) => {
      const value = parseJson(line); // the head may cut the last one
      return isRecord(value) ? [value] : [];
    });
}

/** A record with a link to the one before it. */
const isTreeRecord = (record: Readonly<Record<string, unknown>>): boolean =>
  hasKeys(record, ["sessionId", "parentUuid", "type"]);

const hasKeys = (value: unknown, keys: readonly string[]): boolean =>
  isRecord(value) && keys.every((key) => key in value);
