/** A problem that an operator should attend to, while the service works. */
export type OperatorWarning = { code: string; message: string };

/** A smaller difference is usual, such as after a fast restart. */
const USUAL_MS = 5_000;

const seconds = (ms: number): string => `${Math.round(ms / 1000)} s`;

const JUDGED = 'the machine’s clock decides about timestampMs of requests, the service’s time about everything else';

export function clockWarning({ ms, adoptedIn }: { ms: number; adoptedIn?: number }): OperatorWarning | undefined {
  if (adoptedIn !== undefined)
    return {
      code: 'CLOCK_AHEAD',
      message: `this machine’s clock is ${seconds(ms)} ahead of the service’s time, which follows in ${seconds(adoptedIn)}unless the clock is corrected first: ${JUDGED}`,
    };
  if (ms > -USUAL_MS) return undefined;
  return {
    code: 'CLOCK_BEHIND',
    message: `this machine’s clock is ${seconds(-ms)} behind the service’s time, which never goes back: ${JUDGED}. Correct the machine’s clock, or reset a wrong service time with "countersign clock reset"`,
  };
}
