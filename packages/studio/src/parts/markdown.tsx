import { memo, useState } from "react";
import ReactMarkdown, { defaultUrlTransform } from "react-markdown";
import type { Components } from "react-markdown";
import rehypeSanitize, { defaultSchema } from "rehype-sanitize";
import remarkGfm from "remark-gfm";

/** Images that are part of the text. Those with markup, such as SVG, are not among them. */
const isDataImage = (url: string): boolean => /^data:image\/(?:png|jpeg|gif|webp);/iu.test(url);

const schema = {
  ...defaultSchema,
  protocols: { ...defaultSchema.protocols, src: [...(defaultSchema.protocols?.["src"] ?? []), "data"] },
};

/** Images of other hosts would report what the model wrote; they load after a click. */
function SafeImage({ src, alt = "" }: { readonly src?: unknown; readonly alt?: string | undefined }) {
  const [isShown, setIsShown] = useState(false);
  if (typeof src !== "string") return <span>{alt}</span>;
  if (isDataImage(src) || isShown) return <img src={src} alt={alt} className="max-h-96 max-w-full rounded" />;
  return (
    <button
      type="button"
      className="rounded border border-control px-2 py-1 text-sm underline"
      onClick={() => setIsShown(true)}
    >
      {alt === "" ? src : `${alt} (${src})`}
    </button>
  );
}

const components: Components = {
  a: ({ href, children }) => (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow" className="text-accent underline">
      {children}
    </a>
  ),
  img: ({ src, alt }) => <SafeImage src={src} alt={alt} />,
};

/** A finished block of Markdown. It is not parsed again while later blocks arrive. */
const Block = memo(function Block({ text }: { readonly text: string }) {
  return (
    <ReactMarkdown
      remarkPlugins={[remarkGfm]}
      rehypePlugins={[[rehypeSanitize, schema]]}
      components={components}
      urlTransform={(url, name) => (name === "src" && isDataImage(url) ? url : defaultUrlTransform(url))}
    >
      {text}
    </ReactMarkdown>
  );
});

/** Text of a model as sanitised Markdown: no HTML, no scripts, no foreign images without a click. */
export function Markdown({ text }: { readonly text: string }) {
  return (
    <div className="markdown min-w-0 break-words">
      {blocksOf(text).map((block, i) => (
        <Block key={i} text={block} />
      ))}
    </div>
  );
}

/** Splits Markdown at blank lines outside code fences. Lists and tables with blank lines stay readable as separate blocks. */
export function blocksOf(text: string): readonly string[] {
  const blocks: string[] = [];
  let lines: string[] = [];
  let fence: string | undefined;
  for (const line of text.split("\n")) {
    const mark = /^ {0,3}(`{3,}|~{3,})/u.exec(line)?.[1];
    if (mark !== undefined && fence === undefined) fence = mark;
    else if (mark !== undefined && fence !== undefined && mark.startsWith(fence)) fence = undefined;
    const isIndented = /^(?:\s|[-*+] |\d+[.)] )/u.test(line); // a list goes on after a blank line
    if (line.trim() !== "" && fence === undefined && !isIndented && lines.at(-1)?.trim() === "") {
      blocks.push(lines.join("\n"));
      lines = [];
    }
    lines.push(line);
  }
  if (lines.length > 0) blocks.push(lines.join("\n"));
  return blocks;
}
