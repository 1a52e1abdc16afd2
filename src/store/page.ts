/** A page by key. `after` and `before` are ids that the caller has, exclusive. Each read says its order. */
export type Page = { limit: number; before?: string | undefined; after?: string | undefined };
