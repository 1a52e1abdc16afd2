/** How long a background write waits to share a commit, in milliseconds. */
export const BACKGROUND_MS = 10;
