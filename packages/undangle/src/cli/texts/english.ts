import { formats, streamFormats } from "#codecs";
import { sentences } from "#core";
import { englishWords } from "#report";
import { grouped as number } from "../terminal/grouped.ts";
import type { Count, Texts } from "./texts.ts";

const plural = (count: number, one: string, many = `${one}s`): string => `${number(count)} ${count === 1 ? one : many}`;
const megabytes = (bytes: number): string => `${(bytes / 1e6).toLocaleString("en", { maximumFractionDigits: 1 })} MB`;
const where = ({ inLines, touched, documents }: Count): string =>
  inLines ? ` in ${number(touched)} of ${plural(documents, "line")}` : "";

export const english: Texts = {
  rules: englishWords.rules,
  problem: englishWords.problem,
  likely: "likely",
  unmendable: "no repair is possible",
  edits: {
    insert: "inserted",
    move: "moved",
    merge: "merged",
    rename: "renamed",
    rewrite: "rewritten",
    remove: "removed",
    quote: "quoted as text",
    restore: "call rebuilt",
  },
  lossy: "something was lost",
  reconstructed: "reconstructed",
  faults: englishWords.faults,
  sentences,
  notJson: (fault) => `not JSON: ${fault}`,
  notUtf8: "not UTF-8 text; nothing was changed, because characters would be lost. Save it as UTF-8 first",
  tooLong: (inLines) =>
    inLines
      ? "this line is longer than 512 MB"
      : "longer than 512 MB, too long for one JSON value; JSON lines may be of any length",
  maybeLines: "If these are JSON lines with a broken first line, use --lines.",
  noPath: (path, reached, keys) =>
    `there is no ${path} in it; ${reached === "" ? "the outermost value" : reached} has ${keys.length === 0 ? "no keys" : `the keys ${keys.slice(0, 20).join(", ")}`}`,
  tryAt: (path) => `There is a message list inside: use --at ${path}`,
  tryFormat: `Choose one with --format: ${formats.join(", ")}`,
  tryFrom: `Choose one with --from: ${formats.join(", ")}`,
  oneMessage: "This is one message, not a history. One message per line? jq -s . FILE | undangle …",
  noInput: "no input: give a FILE, or pipe input to stdin. More: undangle --help",
  passedOn: "The line is passed on unchanged.",
  unexpected: (error) =>
    `unexpected error: ${error}\nThis is a bug in undangle. Run the command with NODE_DEBUG=undangle for a stack trace to report.`,
  systemErrors: {
    ENOENT: "no such file or directory; check the path",
    EACCES: "permission denied; change its permissions, or run this as another user",
    EPERM: "not permitted; change its permissions, or run this as another user",
    EISDIR: "this is a directory; name a file",
    ENOTDIR: "a part of the path is not a directory; check the path",
    ELOOP: "the symbolic links form a loop; use the path of the file itself",
    ENAMETOOLONG: "the path is too long; use a shorter one",
    ENOSPC: "no space left on the device; free some first",
    EROFS: "the file system is read-only; write to another place with -o",
    EMFILE: "too many open files; give fewer files, or raise the limit (ulimit -n)",
    ECHANGED: "another program changed it during the command; nothing was written. Run the command again",
  },
  progress: ({ read, size, documents }) =>
    `${megabytes(read)}${size === undefined || size === 0 ? "" : ` of ${megabytes(size)} · ${Math.floor((100 * read) / size)} %`} · ${plural(documents, "line")}`,
  healthy: ({ file, inLines, documents }) => `${file}: healthy${inLines ? ` (${plural(documents, "line")})` : ""}\n`,
  found: (count) =>
    `${count.file}: ${plural(count.problems, "problem")}${where(count)}; undangle doctor shows the causes and what a repair changes\n`,
  mended: (count) =>
    `${count.file}: ${plural(count.edits, "edit")}${where(count)}, ${count.lossy === 0 ? "nothing lost" : `${number(count.lossy)} of them with a loss`}${count.problems === 0 ? "" : `; ${plural(count.problems, "problem")} left`}\n`,
  nothingToMend: ({ file, problems }) =>
    `${file}: ${problems === 0 ? "valid, nothing to repair" : `nothing can be repaired; ${plural(problems, "problem")} left`}\n`,
  loss: "loss",
  converted: ({ file, inLines, documents, problems }, to, losses) =>
    `${file}: converted to ${to}${inLines ? ` in ${plural(documents, "line")}` : ""}, ${losses === 0 ? "nothing lost" : plural(losses, "loss", "losses")}${problems === 0 ? "" : `; ${plural(problems, "problem")} left`}\n`,
  written: (path, backup) => `${path}: written${backup === undefined ? "" : `; the old one is ${backup}`}\n`,
  unchanged: (count) => `${number(count)} unchanged`,
  doctor: {
    messages: (count) => plural(count, "message"),
    line: (line) => `line ${number(line)}`,
    healthy: "Valid: it contains nothing that a provider would refuse.",
    verdict: (problems, left) => {
      const head = `${plural(problems, "problem")}: a provider would refuse this history.`;
      if (left === 0) return `${head} ${problems === 1 ? "It" : "All of them"} can be repaired.`;
      return left === problems
        ? `${head} ${problems === 1 ? "It" : "They"} cannot be repaired.`
        : `${head} ${number(left)} cannot be repaired.`;
    },
    why: "Why",
    fix: "Fix",
    cannotMend: "Only you know what belongs here. Fix it by hand.",
    more: (count) => `… and ${number(count)} more`,
    changes: (edits) => `What a repair changes: ${plural(edits, "edit")}`,
    lossless: "nothing is lost",
    someLost: (count) => `${number(count)} with a loss`,
    next: "Next",
    inPlace: "repairs it, keeps a backup",
    copy: "writes a repaired copy",
    healthyNext: 'If the provider still refuses it: undangle explain "the error text"',
    leftNext: "Nothing can be repaired automatically. Fix the problems above by hand.",
    moreLines: (count) => `… and ${plural(count, "line")} more; undangle repair shows every edit`,
    summary: (count) =>
      count.problems === 0
        ? `${plural(count.documents, "line")}, all valid`
        : `${plural(count.problems, "problem")} in ${number(count.touched)} of ${plural(count.documents, "line")}`,
  },
  assemble: {
    frames: (count) => plural(count, "frame"),
    choice: (choice) => `Choice ${choice}`,
    complete: (unready) =>
      unready === 0 ? "Complete." : `Complete, but ${plural(unready, "call")} must not be executed.`,
    incomplete: "Incomplete: the stream ended early, and no call may be executed.",
    finishes: {
      stop: "The model finished (stop).",
      tool_calls: "The model waits for tool results (tool_calls).",
      length: "The token limit cut it off (length).",
      content_filter: "A content filter cut it off (content_filter).",
      error: "It ended with an error (error).",
      none: "The stream was cut off without a finish reason.",
    },
    fault: ({ message, from, code }) =>
      `${from === "provider" ? "The provider" : "The connection"}: ${message}${code === undefined ? "" : ` (${code})`}`,
    text: "Text",
    reasoning: "Reasoning",
    call: "Call",
    generated: "(id generated)",
    states: {
      ready: "may be executed",
      truncated: "cut off, must not be executed",
      malformed: "not a JSON object, must not be executed",
      repaired: "almost JSON; review it before you execute it",
    },
    more: (characters) => `… ${number(characters)} characters in all; --json has them`,
    anomalies: (count) => `${number(count)} ${count === 1 ? "anomaly" : "anomalies"}`,
    anomaly: (_, message) => message,
    place: (places) =>
      ` (${places.map(([kind, place]) => `${kind === "call" ? "call" : "frame"} ${number(place)}`).join(", ")})`,
    nothing: "nothing",
    end: "end",
    tooLong: "longer than 512 MB, too long for one text",
    unknownFormat: (isEmpty) =>
      isEmpty ? "the input is empty; it must be a captured stream" : "it contains no frame of a known stream format",
    tryFormat: `Choose one with --format: ${streamFormats.join(", ")}`,
  },
  explain: {
    noText: "nothing to explain: give the error text as TEXT, or pipe it in. More: undangle explain --help",
    unknown: "This text is unknown.",
    nearest: "The nearest rules, which may not apply:",
    why: "Why",
    fix: "Fix",
    docs: "More",
    inPackage: (path) => `${path} in the package undangle`,
    unknownNext: "If you have the request, undangle doctor FILE finds its problems without the error text.",
  },
};
