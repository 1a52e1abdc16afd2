// How Node.js runs the service, where whoever starts it sets nothing else.

/**
 * Arguments of `node` that stand before the program. V8 begins with a young generation of 1 MB and shrinks it to that in every pause, so that
 * each burst of requests is collected many times over until it has grown again: a tenth of what a signature costs.
 */
export function serviceFlags(env) {
  if (/semi[-_]space/.test(env.NODE_OPTIONS ?? '')) return [];
  return ['--min-semi-space-size=32', '--max-semi-space-size=32'];
}

/** Variables of the environment. glibc keeps an arena of freed memory for every thread: two of them need some 8 MB less at rest. */
export const SERVICE_ENVIRONMENT = { MALLOC_ARENA_MAX: '2' };
