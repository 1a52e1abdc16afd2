/**
 * A signal that aborts after a time, or when the given one does. After `end` nothing refers to it. `AbortSignal.timeout` would keep each
 * request in memory until its time has passed.
 */
export function deadline(ms: number, given?: AbortSignal): { signal: AbortSignal; end(): void } {
  const control = new AbortController();
  const timer = setTimeout(() => control.abort(new DOMException('it took too long', 'TimeoutError')), ms).unref();
  const stop = () => control.abort(given?.reason);
  if (given?.aborted) stop();
  given?.addEventListener('abort', stop, { once: true });
  return {
    signal: control.signal,
    end() {
      clearTimeout(timer);
      given?.removeEventListener('abort', stop);
    },
  };
}
