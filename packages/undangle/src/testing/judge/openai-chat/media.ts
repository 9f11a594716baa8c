import { isRecord, isText, listOf, modelOf, readInput, recordOf, shown, type Loose } from "../loose.ts";
import type { Verdict } from "../verdict.ts";

/** The images, audio and files that a provider refuses. For an unlisted provider or model, nothing is known. */
export function judgeChatMedia(input: unknown, provider: string | undefined): Verdict[] {
  if (provider === undefined) return [];
  const { messages, body } = readInput(input);
  const model = modelOf(body).toLowerCase();
  return messages.flatMap((raw, index) => {
    const parts = listOf(recordOf(raw)["content"]).map(recordOf);
    return parts.flatMap((part, place) => {
      const path = `messages[${index}].content[${place}]`;
      const ids = [
        ...judgeSight(part, { parts, provider, model }),
        ...judgeFile(part, provider),
        ...judgeFormat(part, provider),
      ];
      const role = shown(recordOf(raw)["role"]);
      return ids.map((id) => ({ id, path, text: wordsFor(id, { index, role, type: shown(part["type"]) }) }));
    });
  });
}

interface PartPlace {
  /** The index of the message. */
  readonly index: number;
  readonly role: string;
  readonly type: string;
}

/** The error text of each provider; unknown for others. */
function wordsFor(id: string, { index, role, type }: PartPlace): string {
  switch (id) {
    case "OAC-IMAGE-FORMAT":
      return "You uploaded an unsupported image. Please make sure your image has of one the following formats: ['png', 'jpeg', 'gif', 'webp'].";
    case "DSK-TEXT-ONLY":
      return `Failed to deserialize the JSON body into the target type: messages[${index}]: unknown variant \`${type}\`, expected \`text\``;
    case "GLM-TEXT-ONLY":
      return "messages.content.type 参数非法，取值范围 ['text']";
    case "DSC-TEXT-ONLY":
      return "<400> InternalError.Algo.InvalidParameter: The provided messages input is invalid. The error info is [Unexpected item type in content.]";
    case "GRQ-TEXT-ONLY":
      return `message[${index}].content must be a string`;
    case "MMX-TEXT-ONLY":
      return "invalid params, chat content is empty (2013)";
    case "KIMI-FILE":
      return `the message at position ${index} with role '${role}' contains an invalid part type: ${type}`;
    case "DSC-FILE":
      return `Invalid value: ${type}. Supported values are: 'text','image_url','video_url' and 'video'.`;
    case "VLM-FILE":
      return `Unknown part type: ${type}`;
    case "SGL-FILE":
      return "Input should be 'image_url'";
    case "LCP-FILE":
      return "unsupported content[].type";
    default:
      return `messages[${index}]: a part of type '${type}' is not supported.`;
  }
}

interface Sight {
  readonly parts: readonly Loose[];
  readonly provider: string;
  readonly model: string;
}

/** Parts that only a multimodal model accepts. */
const senses: ReadonlySet<unknown> = new Set(["image_url", "input_audio", "video_url"]);

function judgeSight({ type }: Loose, { parts, provider, model }: Sight): string[] {
  const blind = blindModels.get(provider);
  if (blind === undefined || !senses.has(type) || !blind.models.some((name) => named(model, name))) return [];
  // MiniMax ignores images, which may leave a message empty.
  const isPassedOver = provider === "minimax" && parts.some((part) => part["type"] === "text");
  return isPassedOver ? [] : [blind.id];
}

/** `name*` matches every model with the prefix. */
const named = (model: string, name: string): boolean =>
  name.endsWith("*") ? model.startsWith(name.slice(0, -1)) : model === name;

/** Models that refuse images, by observation or by their documentation. */
const blindModels: ReadonlyMap<string, { readonly id: string; readonly models: readonly string[] }> = new Map([
  [
    "deepseek",
    { id: "DSK-TEXT-ONLY", models: ["deepseek-chat*", "deepseek-reasoner", "deepseek-v4-pro*", "deepseek-r1*"] },
  ],
  [
    "moonshot",
    { id: "KIMI-TEXT-ONLY", models: ["kimi-k2", "kimi-k2-*", "moonshot-v1-8k", "moonshot-v1-32k", "moonshot-v1-128k"] },
  ],
  [
    "zhipu",
    {
      id: "GLM-TEXT-ONLY",
      models: ["glm-4-plus", "glm-4.5", "glm-4.5-*", "glm-4.6", "glm-4.7", "glm-5", "glm-5.1", "glm-5.2", "glm-5.3"],
    },
  ],
  [
    "dashscope",
    { id: "DSC-TEXT-ONLY", models: ["qwen-max*", "qwen3-max*", "qwen3.7-max*", "qwen-turbo*", "qwen3-coder*"] },
  ],
  [
    "groq",
    {
      id: "GRQ-TEXT-ONLY",
      models: ["openai/gpt-oss-*", "llama-3.3-70b-versatile", "llama-3.1-8b-instant", "qwen/qwen3-32b"],
    },
  ],
  ["minimax", { id: "MMX-TEXT-ONLY", models: ["minimax-m2*"] }],
]);

/** Providers without parts of type file. */
const fileless: ReadonlyMap<string, string> = new Map([
  ["moonshot", "KIMI-FILE"],
  ["dashscope", "DSC-FILE"],
  ["zhipu", "CMP-FILE"],
  ["minimax", "CMP-FILE"],
  ["groq", "CMP-FILE"],
  ["vllm", "VLM-FILE"],
  ["sglang", "SGL-FILE"],
  ["llamacpp", "LCP-FILE"],
]);

function judgeFile({ type, file }: Loose, provider: string): string[] {
  if (type !== "file") return [];
  if (provider === "mistral") return isRecord(file) ? ["MIS-FILE"] : [];
  const hasBytes = isText(recordOf(file)["file_data"]);
  if (provider === "xai" || provider === "deepseek") return hasBytes ? ["CMP-FILE"] : [];
  const id = fileless.get(provider);
  return id === undefined ? [] : [id];
}

function judgeFormat({ type, image_url: image }: Loose, provider: string): string[] {
  if (type !== "image_url" || (provider !== "openai" && provider !== "azure")) return [];
  const url = recordOf(image)["url"];
  const declared = typeof url === "string" ? /^data:([^;,]+)/.exec(url)?.[1] : undefined;
  const isTaken = declared === undefined || /^image\/(png|jpg|jpeg|gif|webp|\*)$/i.test(declared);
  return isTaken ? [] : ["OAC-IMAGE-FORMAT"];
}
