import type { Texts } from "../../texts/language.tsx";
import { useTexts } from "../../texts/language.tsx";
import { ExactText } from "./exact-text.tsx";

const texts: Texts<{ readonly open: (kind: string) => string }> = {
  en: { open: (kind) => `Open the ${kind} in a new tab` },
  zh: { open: (kind) => `在新标签页中打开${kind}` },
};

/** What media are. */
export const mediaKinds: Texts<Readonly<Record<string, string>>> = {
  en: { image: "image", audio: "recording", video: "video", file: "file" },
  zh: { image: "图片", audio: "音频", video: "视频", file: "文件" },
};

export interface MediaProps {
  readonly kind: string;
  readonly url: string | undefined;
  readonly name: string | undefined;
}

/** Images that are part of the message are shown; anything else is a link, because it would load from another host. */
export function Media({ kind, url, name }: MediaProps) {
  const words = useTexts(texts);
  const kindName = useTexts(mediaKinds)[kind] ?? kind;
  const title = name ?? kindName;
  if (url !== undefined && /^data:image\/(?:png|jpeg|gif|webp);/iu.test(url))
    return <img src={url} alt={title} className="my-1 max-h-96 max-w-full rounded" />;
  const isRemote = url !== undefined && /^https?:/iu.test(url);
  return (
    <p className="my-1 text-sm">
      <ExactText text={title} />{" "}
      {isRemote && (
        <a href={url} title={url} target="_blank" rel="noopener noreferrer nofollow" className="text-accent underline">
          {words.open(kindName)}
        </a>
      )}
    </p>
  );
}
