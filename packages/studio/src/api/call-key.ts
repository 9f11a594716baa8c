/** Identifies a pending call among those of all threads. */
export const callKey = (threadId: string, callId: string): string => JSON.stringify([threadId, callId]);
