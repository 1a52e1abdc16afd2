/** An account of one network whose sends still wait after a release, and the reason. `account`: '' for every account of the network. */
export type HeldAccount = { caip2: string; account: string; why: string };

/**
 * The database may be a copy: another instance, the original, may have gone on from the same rows. While it is in quarantine, nothing
 * leaves this instance: no send, no message, no delivery.
 */
export type Quarantine = {
  cause: 'restored' | 'copied' | 'went back';
  /** A sentence about what was found. */
  detail: string;
  /** RFC 3339. */
  since: string;
  /**
   * By the machine's clock: the original may have accepted a body with an earlier `timestampMs`. It is refused if it is unknown, for good.
   * Null until the copy's first start.
   */
  refusesBefore: number | null;
  /** By the service's time: the original may have sent what was accepted earlier. Such a send gets no second nonce. Null as above. */
  sendsBefore: number | null;
  /** RFC 3339. Null: nothing leaves. */
  ended: string | null;
  /** What stays in quarantine after its end: the chain could not be asked about it. */
  held: readonly HeldAccount[];
};

/** Whether nothing may leave. */
export const isOn = (found: Quarantine | undefined): boolean => found !== undefined && found.ended === null;

/** Why the sends of an account wait. Undefined: they do not. */
export function holdOf(
  found: Quarantine | undefined,
  { caip2, account }: { caip2: string; account: string },
): string | undefined {
  if (found === undefined) return undefined;
  if (found.ended === null) return 'the instance may be a copy: see countersign sends release --help';
  return found.held.find((one) => one.caip2 === caip2 && (one.account === '' || one.account === account))?.why;
}

/** How far ahead of the service a body's `timestampMs` may be: the original accepted such bodies too. */
export const AHEAD_MS = 5 * 60_000;

/** With the times of a copy's first start, which is now. Later starts change nothing. `machine`: the machine's clock. */
export const begun = (found: Quarantine, machine: number, service: number): Quarantine =>
  found.refusesBefore === null ? { ...found, refusesBefore: machine + AHEAD_MS, sendsBefore: service } : found;

const atMost = (time: number | null, most: number): number | null => (time === null ? null : Math.min(time, most));

/** With times that a right clock could have given. `keepsSends`: sends of before are dated later than `now`, so their time stays. */
export const within = (found: Quarantine, now: number, keepsSends: boolean): Quarantine => ({
  ...found,
  refusesBefore: atMost(found.refusesBefore, now + AHEAD_MS),
  sendsBefore: keepsSends ? found.sendsBefore : atMost(found.sendsBefore, now),
});
