/** How long a stream lasts, so that its client shows its credential again. */
export const LASTS_MS = 15 * 60_000;
/** How long after its end a stream can be resumed. */
const RESUMABLE_MS = 24 * 3_600_000;
/** How long an event is kept for streams, and an organization's interest after the beginning of its last stream. */
export const RESUMED_MS = RESUMABLE_MS + LASTS_MS;
