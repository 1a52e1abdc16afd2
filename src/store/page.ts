/** A page by key. `after` and `before` are ids that the caller has; both are exclusive. Each read documents its order. */
export type Page = { limit: number; before?: string | undefined; after?: string | undefined };
