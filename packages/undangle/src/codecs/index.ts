export type { Codec, Format, Reading, Request } from "./codec.ts";
export { detect } from "./detect.ts";
export type { Detected } from "./detect.ts";
export { codecOf, codecs, formats } from "./formats.ts";
export type { CheckOptions, NoticeRequest, RepairOptions, Target } from "./options.ts";
export { check, repair, repairAsync } from "./repair.ts";
export type { Repaired } from "./repair.ts";
