/** What is asked where nothing depends on it: a stream, and no tools that the names of calls could be known by. */
export const chat = {
  url: "https://host.example/v1/chat/completions",
  request: { model: "m", stream: true, messages: [] },
} as const;

export const messages = {
  url: "https://host.example/v1/messages",
  request: { model: "m", stream: true, max_tokens: 9, messages: [] },
} as const;

export const responses = {
  url: "https://host.example/v1/responses",
  request: { model: "m", stream: true, input: "Hi." },
} as const;
