import { file, image } from "undangle/agent";
import type { Input } from "undangle/agent";

import { ApiError } from "../responses/api-error.ts";
import { bad, fieldsOf } from "./fields.ts";

/** The input of a thread from a user message. `at` is the path of the message in the request. */
export function inputOf(content: unknown, at: string): Input {
  if (typeof content === "string" && content !== "") return content;
  if (!Array.isArray(content) || content.length === 0) throw bad(at, "a non-empty string or list of parts", content);
  return content.map((part: unknown, i) => inputPart(part, `${at}[${i}]`));
}

type InputPart = Exclude<Input, string>[number];

function inputPart(part: unknown, at: string): InputPart {
  if (typeof part === "string") return part;
  const fields = fieldsOf(part, at);
  const { type, text } = fields.all;
  if (type === "text" || type === "refusal") {
    const value = type === "text" ? text : fields.all["refusal"];
    if (typeof value !== "string") throw bad(`${at}.${type}`, "a string", value);
    return value;
  }
  try {
    if (type === "image_url") {
      const given = fields.all["image_url"];
      return image(typeof given === "string" ? given : (fieldsOf(given, `${at}.image_url`).text("url") ?? ""));
    }
    if (type === "input_audio") {
      const sound = fieldsOf(fields.all["input_audio"], `${at}.input_audio`);
      return file(sound.text("data") ?? "", { mediaType: `audio/${sound.text("format") ?? ""}` });
    }
    if (type === "file") {
      const given = fieldsOf(fields.all["file"], `${at}.file`);
      const name = given.text("filename");
      return file(given.text("file_data") ?? "", name === undefined ? {} : { name });
    }
  } catch (error) {
    if (error instanceof ApiError) throw error;
    throw bad(at, "an image or file as a base64 data: URL, or an https:// URL", part);
  }
  throw bad(`${at}.type`, "text, image_url, input_audio or file", type);
}
