/** Reads a file as UTF-8 in chunks and reports the share that was read. A stopped reading has no text. */
export async function readText(
  file: Blob,
  { signal, onProgress }: { readonly signal: AbortSignal; readonly onProgress: (share: number) => void },
): Promise<string> {
  const decoder = new TextDecoder();
  const texts: string[] = [];
  let [read, reported] = [0, 0];
  const reader = file.stream().getReader();
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
    if (signal.aborted) {
      await reader.cancel();
      return "";
    }
    texts.push(decoder.decode(chunk.value, { stream: true }));
    read += chunk.value.length;
    if (read - reported < file.size / 100) continue;
    reported = read;
    onProgress(read / file.size);
  }
  texts.push(decoder.decode());
  return texts.join("");
}
