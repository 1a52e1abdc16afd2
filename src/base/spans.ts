/** What a span tells. None holds a body, a stamp, a key or a text of a user. */
export type SpanFields = Readonly<Record<string, string | number | undefined>>;

export type SpanOptions = {
  /** `server`: a request that came. `client`: one that goes out. Absent: work in between. */
  kind?: 'server' | 'client';
  fields?: SpanFields;
  /** The header `traceparent` of a request. */
  traceparent?: string | undefined;
};

/**
 * Traces, if they are on. A part that gets none is used as it is, without a wrapper. So traces cost nothing while they are off.
 */
export type Spans = {
  /** Runs work as a span, below the one that runs already. Its error is noted by name, without its text. */
  around<T>(name: string, options: SpanOptions, work: () => T): T;
  /** Adds to the span that runs. Returns the id of its trace. */
  note(fields: SpanFields): string | undefined;
};
