import { ImagePlus, X } from "lucide-react";
import { useRef, useState } from "react";

import { ExactText } from "../../parts/text/exact-text.tsx";
import { composerTexts } from "../../texts/composer-texts.ts";
import { useTexts } from "../../texts/language.tsx";

/** An image of the message that is being written, as a data URL. */
interface Attachment {
  readonly name: string;
  readonly url: string;
}

/** The size of all images of a message. The server accepts requests of 10 MB by default, and base64 adds a third. */
const mostBytes = 7_000_000;

const types = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/** Why images are not added. */
type ImageFault = "too-large" | "unreadable" | "no-image";

/** The images of the message. They are not part of the draft. */
export function useAttachments(onRefuse: (fault: ImageFault) => void) {
  const [images, setImages] = useState<readonly Attachment[]>([]);
  const add = async (files: Iterable<File>): Promise<void> => {
    const given = [...files];
    const wanted = given.filter(({ type }) => types.includes(type));
    if (wanted.length < given.length) onRefuse("no-image");
    const added = await Promise.all(wanted.map(async (file) => ({ name: file.name, url: await dataUrl(file) })));
    const size = [...images, ...added].reduce((sum, { url }) => sum + url.length * 0.75, 0);
    if (size > mostBytes) onRefuse("too-large");
    else setImages((before) => [...before, ...added]);
  };
  return {
    images,
    add: (files: Iterable<File>): void => void add(files).catch(() => onRefuse("unreadable")),
    remove: (image: Attachment): void => setImages((before) => before.filter((each) => each !== image)),
    /** Removes images that were sent. */
    drop: (sent: readonly Attachment[]): void => setImages((before) => before.filter((each) => !sent.includes(each))),
  };
}

const dataUrl = (file: File): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener("load", () => resolve(reader.result as string)); // of this read it is a text
    reader.addEventListener("error", () => reject(reader.error ?? new Error(file.name)));
    reader.readAsDataURL(file);
  });

/** True if something that is dragged or pasted contains an image. */
export const hasImage = (data: DataTransfer | null): boolean =>
  [...(data?.items ?? [])].some(({ kind, type }) => kind === "file" && types.includes(type));

/** The attached images, each with a button that removes it. */
export function AttachedImages({
  images,
  onRemove,
}: {
  readonly images: readonly Attachment[];
  readonly onRemove: (image: Attachment) => void;
}) {
  const texts = useTexts(composerTexts);
  if (images.length === 0) return null;
  return (
    <ul className="flex min-w-0 flex-wrap gap-2 px-1 pt-1">
      {images.map((image, i) => (
        <li key={i} className="relative">
          <img src={image.url} alt={image.name} className="h-16 max-w-32 rounded border border-line object-cover" />
          <button
            type="button"
            aria-label={texts.detach(image.name)}
            title={texts.detach(image.name)}
            onClick={() => onRemove(image)}
            className="absolute -top-1.5 -right-1.5 grid size-6 place-items-center rounded-full border border-line bg-surface hover:bg-raised"
          >
            <X size={12} aria-hidden />
          </button>
          <span className="sr-only">
            <ExactText text={image.name} />
          </span>
        </li>
      ))}
    </ul>
  );
}

/** True for files, such as those that are dragged over the page. */
export const hasFiles = (data: DataTransfer | null): boolean =>
  [...(data?.items ?? [])].some(({ kind }) => kind === "file");

/** Opens the browser's dialog for files. */
export function AttachButton({ onFiles }: { readonly onFiles: (files: Iterable<File>) => void }) {
  const texts = useTexts(composerTexts);
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button
        type="button"
        aria-label={texts.attach}
        title={texts.attach}
        onClick={() => input.current?.click()}
        className="grid size-8 flex-none place-items-center rounded text-muted hover:bg-raised hover:text-ink pointer-coarse:size-11"
      >
        <ImagePlus size={16} aria-hidden />
      </button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        accept={types.join()}
        onChange={({ target }) => {
          onFiles(target.files ?? []);
          target.value = ""; // the same file can be chosen again
        }}
      />
    </>
  );
}
