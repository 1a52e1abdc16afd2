import { performance } from 'node:perf_hooks';

/** Begins to measure this thread. The result is called later: for which share of the time it was busy since, from 0 to 1. */
export function utilization(): () => number {
  const begun = performance.eventLoopUtilization();
  return () => performance.eventLoopUtilization(begun).utilization || 0;
}
