/** The wire's timestamp object: whole seconds and nanoseconds, both as decimal strings. */
export type WireTimestamp = { seconds: string; nanos: string };

export function wireTimestamp(ms: number): WireTimestamp {
  const seconds = Math.floor(ms / 1000);
  return { seconds: String(seconds), nanos: String((ms - seconds * 1000) * 1_000_000) };
}

/** RFC 3339 in UTC with milliseconds. */
export function rfc3339(ms: number): string {
  const whole = Math.trunc(ms);
  const second = Math.floor(whole / 1000);
  if (second !== latest) {
    text = new Date(second * 1000).toISOString().slice(0, -4);
    latest = second;
  }
  return `${text}${String(whole - second * 1000).padStart(3, '0')}Z`;
}

/** The text of the latest second. Many times are in the same second, and formatting a date takes longer than formatting a number. */
let latest = Number.NaN;
let text = '';
