import { isText } from "../loose.ts";
import type { Verdict } from "../verdict.ts";
import { idOf, isModel, type Content, type Held } from "./contents.ts";

/** Judges calls and responses: their number, order, names and ids. */
export function judgePairing(contents: readonly Content[]): Verdict[] {
  return contents.flatMap((content, index) => {
    const before = contents[index - 1];
    const after = contents[index + 1];
    if (isModel(content) && content.calls.length > 0) {
      return [
        ...judgePlace(content, before),
        ...judgeTwins(content),
        ...judgeAnswers(content, after, contents[index + 2]),
      ];
    }
    const isAnswer = isModel(before) && (before?.calls.length ?? 0) > 0;
    if (content.responses.length === 0 || isModel(content) || isAnswer) return [];
    const text = "Please ensure that function response turn comes immediately after a function call turn.";
    return [{ id: "GEM-RESP-ORDER", path: content.path, text }];
  });
}

function judgePlace({ path }: Content, before: Content | undefined): Verdict[] {
  if (before !== undefined && !isModel(before)) return [];
  const text =
    "Please ensure that function call turn comes immediately after a user turn or after a function response turn.";
  return [{ id: "GEM-CALL-ORDER", path, text }];
}

function judgeTwins({ path, calls }: Content): Verdict[] {
  const ids = calls.map(idOf).filter((id) => id !== "");
  if (new Set(ids).size === ids.length) return [];
  return [{ id: "GEM-DUP-CALL-ID", path, text: "Request contains an invalid argument." }];
}

const countText =
  "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.";

function judgeAnswers({ path, calls }: Content, after: Content | undefined, later: Content | undefined): Verdict[] {
  const responses = after === undefined || isModel(after) ? [] : after.responses;
  if (responses.length === calls.length) return [...judgeIds(path, calls, responses), ...judgeNames(calls, responses)];
  const verdicts: Verdict[] = [{ id: "GEM-COUNT", path, text: countText }];
  const isSplit = responses.length > 0 && later !== undefined && !isModel(later) && later.responses.length > 0;
  if (isSplit && responses.length < calls.length) verdicts.push({ id: "GEM-SPLIT-RESP", path, text: countText });
  return verdicts;
}

function judgeIds(path: string, calls: readonly Held[], responses: readonly Held[]): Verdict[] {
  const [asked, answered] = [calls, responses].map((side) => new Set(side.map(idOf).filter((id) => id !== "")));
  if (asked === undefined || answered === undefined || asked.size === 0 || answered.size === 0) return [];
  if (asked.size === answered.size && [...asked].every((id) => answered.has(id))) return [];
  return [{ id: "GEM-ID-MISMATCH", path, text: "the ids of the responses are not those of the calls" }];
}

/** The call of a response: the one with its id, or the one in its position if a side has no ids. */
function judgeNames(calls: readonly Held[], responses: readonly Held[]): Verdict[] {
  const isBare = calls.every((call) => idOf(call) === "") || responses.every((response) => idOf(response) === "");
  return responses.flatMap((response, index) => {
    const id = idOf(response);
    const same = calls.filter((call) => id !== "" && idOf(call) === id);
    const call = isBare ? calls[index] : same.length === 1 ? same[0] : undefined;
    const { name } = response.value;
    if (call === undefined || !isText(name) || name === call.value["name"]) return [];
    const text = "Request contains an invalid argument.";
    return [{ id: "GEM-RESP-NAME-MISMATCH", path: `${response.path}.name`, text }];
  });
}
