export { inputText, isMadeBySdk, saySame, takesParameters, takesText } from "./ai-sdk/call-input.ts";
export type { AiSdkTool } from "./ai-sdk/stream/decode.ts";
export { markAnthropicCache } from "./anthropic/cache-markers.ts";
export type { Format } from "./codec.ts";
export { finishOfWord } from "./ai-sdk/stream/finish-words.ts";
export { convert } from "./convert/convert.ts";
export type {
  AssistantMessage,
  Call as CallPart,
  Conversation,
  Media,
  Message,
  Reasoning,
  Result,
  ResultPart,
  Setting,
  Text,
  Text as SystemText,
} from "./convert/conversation.ts";
export type { Converted } from "./convert/convert.ts";
export { cutMessages, estimateMessageTokens, outlineMessages } from "./convert/cut-messages.ts";
export type { CutMessages, CutMessagesOptions } from "./convert/cut-messages.ts";
export { cutPoints, trim } from "./cut-points.ts";
export type { Trimmed } from "./cut-points.ts";
export { decode } from "./convert/decode.ts";
export type { Decoded } from "./convert/decode.ts";
export { encode, holdsSystemText } from "./convert/encode.ts";
export { writeResponse } from "./convert/write-response.ts";
export type { Loss } from "./convert/losses.ts";
export { hasMedia, withoutMedia } from "./convert/without-media.ts";
export { mendMessages, mendMessagesAsync } from "./convert/mend-messages.ts";
export { detect } from "./detect.ts";
export type { Detected } from "./detect.ts";
export { codecOf, codecs, formats } from "./formats.ts";
export type { HistoryMessages, HistoryOf } from "./history-messages.ts";
export { takesOnlyText } from "./openai-chat/takes-only-text.ts";
export type { CheckOptions, ConvertOptions, CutOptions, NoticeRequest, RepairOptions, TrimOptions } from "./options.ts";
export { defaultNotice } from "./options.ts";
export { providerOfHost, providerOfModel } from "./provider-signs.ts";
export { check, repair, repairAsync, repairKeepingMedia } from "./repair.ts";
export type { Repaired } from "./repair.ts";
export { assemble, assembleAiSdk, assembleBody } from "./stream/assemble.ts";
export type { AssembledStream } from "./stream/assemble.ts";
export { argumentsText, hasSameCalls, isJsonOf } from "./stream/response-writer.ts";
export type {
  RequestFacts,
  Helper,
  ResponseWriter,
  LiveCall,
  LiveWriter,
  ClientTurn,
  TextDelta,
  Frame,
  StreamWriter,
} from "./stream/response-writer.ts";
export { responseWriters } from "./stream/response-writers.ts";
export { dialects } from "./stream/events/dialects.ts";
export { endMarker, isEndMarker, isEndMarkerEvent, isPlainEndMarker } from "./stream/events/sse.ts";
export type { RequestedResponse, StreamDialect } from "./stream/events/dialects.ts";
export type { PlainText } from "./stream/events/dialects.ts";
export { createFrameReader } from "./stream/frame-reader.ts";
export type { FrameReader, ReadEnd, ReadFrame } from "./stream/frame-reader.ts";
export { isKeepAlive, isKeepAliveName } from "./stream/events/sse.ts";
export { streamFormats } from "./stream/formats.ts";
export { detectFrame, detectStream } from "./stream/detect-stream.ts";
export { streamEvents } from "./stream/events/sse.ts";
export type { StreamEvent } from "./stream/events/sse.ts";
export type { StreamFormat } from "./stream/formats.ts";
export type { AssembleOptions } from "./stream/assemble.ts";
export type { StreamSource } from "./stream/events/source.ts";
