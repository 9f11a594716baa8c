export { canonicalPath, comparablePath, maxPathLength } from "./canonical-path.ts";
export type { CanonicalPath } from "./canonical-path.ts";
export { rules, confidenceOf } from "./catalogue/catalogue.ts";
export type { RuleId } from "./catalogue/catalogue.ts";
export type { Rule, RuleCase } from "./catalogue/rule.ts";
export { contextOverflow, overflowTexts } from "./context-overflow.ts";
export type { ContextOverflow } from "./context-overflow.ts";
export { copyJson } from "./copy-json.ts";
export { applyCut, chooseCut, findCuts } from "./cut-points.ts";
export type { Cut, Cuts, Outline, OutlinedMessage } from "./cut-points.ts";
export type { Dialect, Means, Policy, Told, UnansweredCall, Unread } from "./dialect.ts";
export { UndangleError, sentences } from "./errors.ts";
export { errorText, sentencesChinese } from "./errors-chinese.ts";
export type { ErrorCode, ErrorData } from "./errors.ts";
export { estimateTokens } from "./estimate-tokens.ts";
export { hideKeys } from "./hide-keys.ts";
export { hashHex, mintCallId } from "./hash.ts";
export { makeAssistant, makeCall, makeResult, makeSpan, makeUser, textContent } from "./history.ts";
export type {
  AssistantEntry,
  Call,
  Content,
  Entry,
  Part,
  ResultEntry,
  Source,
  SpanEntry,
  SystemEntry,
  UserEntry,
} from "./history.ts";
export { addId, hasId, createIdTable, cutIds, indexOfId } from "./id-table.ts";
export type { IdTable } from "./id-table.ts";
export { createJournal, editText, unansweredFinding } from "./journal.ts";
export type { Edit, EditType, Finding, Journal, Problem, Spot } from "./journal.ts";
export type { JsonObject } from "./json.ts";
export {
  damageOf,
  eachRecord,
  everyEntry,
  isObjectText,
  isRecord,
  isTooDeep,
  parseJson,
  staysText,
  wordOf,
  wrapRaw,
} from "./json.ts";
export { languageFor, languages } from "./language.ts";
export type { Language } from "./language.ts";
export { causes, continued, isNotice, quotePrefix, rejections, renderNotice } from "./notices.ts";
export type { Cause, NoticeCall } from "./notices.ts";
export { acceptsId, acceptsName } from "./profile.ts";
export type { Profile } from "./profile.ts";
export { linksOf } from "./rules/links.ts";
export type { Links } from "./rules/links.ts";
export { sanitise } from "./rules/names.ts";
export { pair } from "./rules/pair.ts";
export { createTaker } from "./rules/taker.ts";
export type { Taker } from "./rules/taker.ts";
export { suggest } from "./suggest.ts";
export { anomalies } from "./stream/anomalies.ts";
export { anomaliesChinese } from "./stream/anomalies-chinese.ts";
export type { Anomaly, AnomalyKind } from "./stream/anomalies.ts";
export { createAssembly, listen, textOf } from "./stream/assembly.ts";
export { mayLackCall } from "./stream/losses.ts";
export type { Loss } from "./stream/losses.ts";
export type { Assembly, AssemblyOptions, Choice, TextItem } from "./stream/assembly.ts";
export { isWhole, replaceText } from "./stream/call-slot.ts";
export { isAnother } from "./stream/call-slot.ts";
export { jsonText } from "./stream/finish-choice.ts";
export { isPlaceholder } from "./stream/resolve-arguments.ts";
export { parseLenient } from "./stream/lenient-json.ts";
export type { Owner, Seal } from "./stream/turn.ts";
export { cleanName } from "./stream/call-slot.ts";
export type { Slot } from "./stream/call-slot.ts";
export { emptyTurn } from "./stream/turn.ts";
export type {
  AssembledCall,
  AssembledTurn,
  Finish,
  StreamFault,
  StreamPart,
  TurnMedia,
  TurnPart,
  TurnReasoning,
} from "./stream/turn.ts";
