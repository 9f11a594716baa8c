import fc from "fast-check";
import { expect, test } from "vitest";

import { anyStory, triplesOf } from "../../undangle/test/pairs/story.ts";
import { sentTriples, shown, triplesIn } from "../../undangle/test/pairs/triples-in.ts";
import { writeStory } from "../../undangle/test/pairs/write-story.ts";
import { serve } from "./serve-fixture.ts";

test("a chat with its whole history keeps the result of every call", async () => {
  const { app, model, call } = serve({ turns: [{ text: "Yes." }] });
  await fc.assert(
    fc.asyncProperty(anyStory, fc.boolean(), async (story, hasQuestion) => {
      const history = writeStory(story, "openai-chat");
      const isAnswered = story.at(-1)?.reply !== undefined;
      const messages = hasQuestion || isAnswered ? [...history, { role: "user", content: "And?" }] : history;
      const { status, body } = await call("POST", "/v1/chat/completions", { model: "helper", messages });
      expect(status).toBe(200);
      const expected = shown(triplesOf(story));
      expect(shown(sentTriples(model.requests.at(-1)?.messages ?? []))).toEqual(expected);
      const { thread_id: id } = body["undangle"] as { readonly thread_id: string };
      const { thread } = await app.service.projectThreads.open("default", id);
      expect(shown(triplesIn(await thread.export("openai-chat"), "openai-chat"))).toEqual(expected);
    }),
  );
});
