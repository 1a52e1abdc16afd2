/** The places where the crash tests stop a process. */
export type FailPoint = `${'before' | 'after'} ${
  | 'store'
  | 'allocate'
  | 'sign'
  | 'store-signature'
  | 'note-sent'
  | 'broadcast'
  | 'receipt'
  | 'replace'}`;

type Meet = (name: FailPoint) => Promise<void> | undefined;

let meet: Meet | undefined;

/** Only `tests/support/fail-points.ts` calls this, in a process that a test started. No setting enables it. */
export function meetFailPoints(by: Meet): void {
  meet = by;
}

/** Does nothing in the service. In a test, the process may end here, or wait. Undefined: continue. */
export const failPoint = (name: FailPoint): Promise<void> | undefined => meet?.(name);
