import Anthropic0 from "@anthropic-ai-0/sdk";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import OpenAI6 from "openai-6";

/** The majors of OpenAI's SDK that people have. What is used of them here is the same in both, but for private fields. */
export const openaiMajors = [
  { sdk: "openai 6", OpenAI: OpenAI6 as unknown as typeof OpenAI },
  { sdk: "openai 7", OpenAI },
];

/** The majors of Anthropic's SDK that people have. */
export const anthropicMajors = [
  { sdk: "@anthropic-ai/sdk 0", Anthropic: Anthropic0 as unknown as typeof Anthropic },
  { sdk: "@anthropic-ai/sdk 1", Anthropic },
];
