/** Runs work whose errors are expected and caught: their stack traces would take most of its time. */
export function untraced<T>(work: () => T): T {
  const { stackTraceLimit } = Error;
  try {
    Error.stackTraceLimit = 0;
    return work();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}
