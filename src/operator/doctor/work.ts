import { quarantineWarning } from '../../app/quarantine.ts';
import type { Config } from '../../config.ts';
import type { Reader } from '../../store/types.ts';
import { compareCounters } from '../velocity-check.ts';
import { counted, type Found, ok, problem, warning } from './finding.ts';

const LATE_MS = 10 * 60_000;
const minutes = (ms: number): string => `${Math.round(ms / 60_000)} minutes`;

const TOPICS = ['mail', 'sms'];
const MOST = 1_000;

/** Messages that were not sent, and messages that wait for a sender. */
export async function checkOutbox(read: Reader, now: number): Promise<Found[]> {
  const found: Found[] = [];
  const dead = await read.outbox.page('dead', MOST);
  if (dead.length > 0) {
    const many = dead.length === MOST ? `at least ${MOST} messages` : counted(dead.length, 'message');
    found.push(warning(`${many} could not be sent`, 'see countersign outbox list, then countersign outbox retry'));
  }
  for (const topic of TOPICS) {
    const due = (await read.outbox.nextDue(topic)) ?? now;
    if (now - due > LATE_MS)
      found.push(
        warning(
          `a message (${topic}) has been due for ${minutes(now - due)}`,
          `start the service, and set a provider of ${topic}`,
        ),
      );
  }
  return found.length > 0 ? found : [ok('no message waits')];
}

/** Activities that wait to be shipped. */
export async function checkShipping({ ship }: Config, read: Reader, now: number): Promise<Found[]> {
  if (ship === undefined) return [ok('AUDIT_SHIP is unset: the record is shipped nowhere')];
  const waits = now - ((await read.shipping.notShippedSince()) ?? now);
  if (waits <= LATE_MS) return [ok(`the record is shipped to ${ship.text}`)];
  const text = `the record has not been shipped to ${ship.text} for ${minutes(waits)}`;
  return [warning(text, 'start the service, and look for "could not be shipped" in its log: see docs/operating/audit.md#ship')];
}

/** A database that may be a copy. */
export async function checkQuarantine({ instance }: Reader): Promise<Found[]> {
  const found = quarantineWarning(await instance.quarantine());
  const mend = 'stop the original, then run countersign sends release --dry-run, and without --dry-run';
  return [found === undefined ? ok('the instance is not in quarantine') : problem(found.message, mend)];
}

/** Sends that have not ended for a time in which a chain usually includes them. */
export async function checkSends(read: Reader, now: number): Promise<Found[]> {
  const found: Found[] = [];
  for (const caip2 of await read.sendAccounts.networks())
    for (const state of ['queued', 'signed', 'sent'] as const) {
      const { count, oldest } = await read.sendsOfAccount.notOver(caip2, state);
      if (oldest === null || now - oldest < LATE_MS) continue;
      const text = `${caip2}: ${counted(count, 'send')} in state ${state}, the oldest for ${minutes(now - oldest)}`;
      found.push(warning(text, `see countersign sends list --network ${caip2}`));
    }
  return found.length > 0 ? found : [ok('no send is late')];
}

/** A diagnosis must end soon: the command reads all entries. */
const MOST_ENTRIES = 20_000;

/** Counters of limits over time, and what they counted. */
export async function checkVelocity(read: Reader, now: number): Promise<Found[]> {
  const { differing, counters, isAll } = await compareCounters(read, () => now, MOST_ENTRIES);
  const mend = 'see countersign velocity check. Nothing in the service makes such a difference: restore a copy, or ask for help';
  const found = differing.map(({ identifier, organizationId, bucket, ...sums }) =>
    problem(
      `velocity control ${identifier} of ${organizationId}, bucket "${bucket}": ${sums.counted} counted, ${sums.entries} in its entries`,
      mend,
    ),
  );
  if (found.length > 0) return found;
  return [ok(isAll ? `${counted(counters, 'counter')} of limits over time` : 'the first counters of limits over time are right')];
}
