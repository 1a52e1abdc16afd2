/** A page by key: `after` and `before` are ids of the last or first element that the caller has; newest first unless `ascending`. */
export type Page = { limit: number; before?: string | undefined; after?: string | undefined };
