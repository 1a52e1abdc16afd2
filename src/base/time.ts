/** The wire's timestamp object: whole seconds and nanoseconds, both as decimal strings. */
export type WireTimestamp = { seconds: string; nanos: string };

export function wireTimestamp(ms: number): WireTimestamp {
  const seconds = Math.floor(ms / 1000);
  return { seconds: String(seconds), nanos: String((ms - seconds * 1000) * 1_000_000) };
}

/** RFC 3339 in UTC with milliseconds. */
export function rfc3339(ms: number): string {
  return new Date(ms).toISOString();
}
