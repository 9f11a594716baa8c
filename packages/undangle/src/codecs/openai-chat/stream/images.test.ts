import { expect, test } from "vitest";

import { assemble } from "../../stream/assemble.ts";

const url = "data:image/png;base64,iVBORw0KGgo=";
const image = { type: "image_url", image_url: { url } };
const media = { type: "media", kind: "image", mediaType: "image/png", source: { type: "bytes", data: "iVBORw0KGgo=" } };

const partsOf = async (delta: object): Promise<readonly unknown[]> => {
  const frames = [
    { choices: [{ index: 0, delta }] },
    { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
  ].map((frame) => `data: ${JSON.stringify(frame)}\n\n`);
  return (await assemble([...frames, "data: [DONE]\n\n"], { format: "openai-chat" }).turn()).parts;
};

test.each<[string, object, readonly object[]]>([
  ["beside a text", { content: "Here.", images: [image] }, [{ type: "text", text: "Here." }, media]],
  ["alone", { content: "", images: [image, image] }, [media, media]],
  [
    "among the parts of a content",
    { content: [{ type: "text", text: "Here." }, image] },
    [{ type: "text", text: "Here." }, media],
  ],
  [
    "by an address, which is not the image",
    { content: "Here.", images: [{ image_url: { url: "https://x/y.png" } }] },
    [{ type: "text", text: "Here." }],
  ],
  ["as nothing at all", { content: "Here.", images: [null, {}, { image_url: 5 }] }, [{ type: "text", text: "Here." }]],
])("an image that a model has made comes %s", async (_, delta, parts) => {
  expect(await partsOf(delta)).toEqual(parts);
});
