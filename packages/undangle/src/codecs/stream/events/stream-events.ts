import { isDone, createEventReader } from "./sse.ts";

/** One event of a stream: its data, and its name if it has one. */
export interface StreamEvent {
  readonly data: string;
  readonly event: string | undefined;
}

/** The events of a complete capture. Empty events are omitted. */
export function streamEvents(text: string): readonly StreamEvent[] {
  const events: StreamEvent[] = [];
  const reader = createEventReader((data, event) => {
    if (!isDone(data) && data.trim() !== "") events.push({ data, event });
  });
  reader.add(text);
  reader.end();
  return events;
}
