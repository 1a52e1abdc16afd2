import type { Check } from './health.ts';

const EVERY_MS = 10_000;
const FAILURES = 3;
/** A starting app is asked often, and has this time for its first answer. */
const STARTING_MS = 250;
const FIRST_ANSWER_MS = 60_000;

type Watched = {
  check: Check;
  socket: string;
  /** The app ended. */
  ended: AbortSignal;
  now(): number;
  /** Waits, and less once the app has ended. */
  rest(ms: number): Promise<void>;
  onReady(): void;
};

/** Resolves with the reason once the app counts as unhealthy, or without one once it has ended. */
export async function watchHealth({ check, socket, ended, now, rest, onReady }: Watched): Promise<string | undefined> {
  const began = now();
  for (let why = await check(socket); why !== undefined; why = await check(socket)) {
    if (ended.aborted) return undefined;
    if (now() - began > FIRST_ANSWER_MS) return `It was not healthy within ${FIRST_ANSWER_MS / 1000} s: ${why}.`;
    await rest(STARTING_MS);
  }
  if (ended.aborted) return undefined;
  onReady();
  for (let failures = 0; ; ) {
    await rest(EVERY_MS);
    if (ended.aborted) return undefined;
    const why = await check(socket);
    failures = why === undefined ? 0 : failures + 1;
    if (failures >= FAILURES && !ended.aborted) return `It failed ${FAILURES} health checks: ${why}.`;
  }
}
