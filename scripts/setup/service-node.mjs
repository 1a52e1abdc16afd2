// How Node.js runs the service, unless its environment sets another value.

/** Arguments of `node` before the program. V8 begins with a semi-space of 1 MB, which grows with what survives. Until
 * then, load that comes and goes is collected many times. That is up to a tenth of the cost of a signature. Both, since a
 * minimum is no more than the maximum, and that of Node.js 22 is 16 MB. A maximum in NODE_OPTIONS decides.
 */
export function serviceFlags(env) {
  if (/semi[-_]space|max[-_]heap[-_]size/.test(env.NODE_OPTIONS ?? '')) return [];
  return ['--min-semi-space-size=32', '--max-semi-space-size=32'];
}

/**
 * Variables of the environment, for glibc; values that are set already stay. It keeps an arena of freed memory for every
 * thread: two of them need some 8 MB less at rest. It also asks Linux for pages of 2 MB (`hugetlb=1`: transparent ones, where
 * the system gives them on request). Each signature reads memory of SQLite and OpenSSL all over. Small pages of it miss in the
 * processor's tables, which is expensive on a virtual machine.
 */
export const SERVICE_ENVIRONMENT = { MALLOC_ARENA_MAX: '2', GLIBC_TUNABLES: 'glibc.malloc.hugetlb=1' };

/** Arguments of `node` for the service, in whose environment the variables are from now on. */
export function asService() {
  for (const [name, value] of Object.entries(SERVICE_ENVIRONMENT)) process.env[name] ??= value;
  return serviceFlags(process.env);
}
