import { isRecord, shown, type Loose } from "../loose.ts";
import type { Verdict } from "../verdict.ts";
import { isModel, isSigned, readContents, versionOf, type Content } from "./contents.ts";
import { judgePairing } from "./pairing.ts";
import { judgeParts } from "./parts.ts";

/** The GEM rules. Consecutive contents of one role stay separate, because the API does not merge them. */
export function judgeGemini(input: unknown): Verdict[] {
  const { contents, body } = readContents(input);
  if (contents.length === 0) {
    return [
      { id: "GEM-NO-CONTENTS", path: "contents", text: "* GenerateContentRequest.contents: contents is not specified" },
    ];
  }
  return [
    ...contents.flatMap((content) => judgeRole(content, contents.length, body)),
    ...contents.flatMap(judgeParts),
    ...judgePairing(contents),
    ...judgeModelRules(contents, body),
  ];
}

function judgeRole({ role, path, responses }: Content, count: number, body: Loose): Verdict[] {
  if (role === "user" || role === "model") return [];
  if ((role === undefined || role === null) && count === 1) return [];
  const isOld = (versionOf(body)?.number ?? 0) < 3.5;
  if ((role === "function" || role === "tool") && responses.length > 0 && isOld) return [];
  const text =
    role === "function" || role === "tool"
      ? `Role '${role}' is not supported. Please use a valid role: SYSTEM, SYSTEM_1, USER, ASSISTANT, DEVELOPER, CONTEXT, USER_CONTEXT, MODEL, USER.`
      : "Please use a valid role: user, model.";
  return [{ id: "GEM-ROLE", path: `${path}.role`, text }];
}

/** The rules that depend on the model; none if it is unknown. */
function judgeModelRules(contents: readonly Content[], body: Loose): Verdict[] {
  const version = versionOf(body);
  if (version === undefined) return [];
  if (version.number < 3) return contents.flatMap(judgeResultMedia);
  const verdicts = judgeSignatures(contents);
  if (version.number > 3 || version.isFlash) verdicts.push(...contents.flatMap(judgeMixed));
  const last = contents.at(-1);
  if (version.number >= 3.5 && last !== undefined && isModel(last)) {
    const text = "Requests ending with a model turn are not supported.";
    verdicts.push({ id: "GEM-LAST-ROLE", path: last.path, text });
  }
  return verdicts;
}

/** Only Gemini 3 and later accept media in a function response. */
function judgeResultMedia({ responses }: Content): Verdict[] {
  return responses.flatMap(({ path, value: { parts } }) => {
    if (!Array.isArray(parts) || parts.length === 0) return [];
    const text =
      "Unable to submit request because `function_response.parts` is not supported for this model. Learn more: https://cloud.google.com/vertex-ai/generative-ai/docs/multimodal/function-calling";
    return [{ id: "GEM-RESP-MEDIA", path: `${path}.parts`, text }];
  });
}

/** Text before function responses is accepted, text after them is not. */
function judgeMixed({ parts = [], responses, path, role }: Content): Verdict[] {
  if (role === "model") return [];
  const first = parts.findIndex(({ part }) => responses.some((response) => response.part === part));
  if (first < 0 || !parts.slice(first).some(({ part }) => typeof part["text"] === "string")) return [];
  const text = "Requests ending with a model turn are not supported.";
  return [{ id: "GEM-MIXED-RESP", path, text }];
}

/** The current turn starts after the last content with user text or media. */
function judgeSignatures(contents: readonly Content[]): Verdict[] {
  const start = contents.findLastIndex(
    ({ role, parts = [], responses }) => role !== "model" && parts.length > responses.length,
  );
  return contents.flatMap(({ role, calls }, index) => {
    if (index <= start) return [];
    const first = calls[0];
    if (role !== "model" || first === undefined || isSigned(first.part) || !isRecord(first.part)) return [];
    const text = `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:${shown(first.value["name"])}\`, position ${index + 1}.`;
    return [{ id: "GEM-SIG-MISSING", path: first.path, text }];
  });
}
