export const ID = '00000000-0000-7000-8000-000000000001';

/** Parameters by operation: an activity's kind, or a query's name. */
export type Samples = Readonly<Record<string, () => unknown>>;
