/** The steps before and after which the crash tests stop a process. */
export type FailStep =
  | 'store'
  | 'allocate'
  | 'sign'
  | 'store-signature'
  | 'note-sent'
  | 'broadcast'
  | 'look-again'
  | 'receipt'
  | 'replace'
  | 'release'
  | 'share'
  | 'settle'
  | 'prune';

export type FailPoint = `${'before' | 'after'} ${FailStep}`;

type Meet = (name: FailPoint) => Promise<void> | undefined;

let meet: Meet | undefined;

/** Only `tests/support/fail-points.ts` calls this, in a process that a test started. No setting enables it. */
export function meetFailPoints(by: Meet): void {
  meet = by;
}

/** Does nothing in the service. In a test, the process may end here, or wait. Undefined: continue. */
export const failPoint = (name: FailPoint): Promise<void> | undefined => meet?.(name);

/** Does a step between its two fail points. */
export async function failPointsAround<T>(step: FailStep, job: () => Promise<T>): Promise<T> {
  await failPoint(`before ${step}`);
  const done = await job();
  await failPoint(`after ${step}`);
  return done;
}
