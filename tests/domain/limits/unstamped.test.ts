import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import {
  limitInitiation,
  limitSignUp,
  limitSignUpsOfAll,
  limitVerification,
  type Stranger,
} from '../../../src/domain/limits/unstamped.ts';
import { SITE_SHARE } from '../../../src/limits/addresses.ts';
import { DEFAULT_LIMITS } from '../../../src/model/limits.ts';
import { NOW, type Opened, openMigrated } from '../../store/fixture.ts';
import { engineName } from '../../support/database.ts';

let opened: Opened;
before(async () => {
  opened = await openMigrated();
});
after(() => opened.close());

const HOUR = 3_600_000;
const vault = {
  rateKey: (scope: string, key: string) => createHash('sha256').update(`${scope} ${key}`).digest(),
} as unknown as Stranger['engine']['vault'];
const limits = {
  ...DEFAULT_LIMITS,
  signupsOfAddress: 2,
  signupsOfOrganization: 4,
  otpInitiationsOfAddress: 3,
  otpVerificationsOfAddress: 4,
};
const strangerTo = (id: string, address: string | undefined, now = NOW): Stranger => ({
  engine: { store: opened.store, vault, limits },
  organization: { id },
  address,
  now,
});
const over = (retryAfterMs: number) => ({ code: 'RATE_LIMIT_EXCEEDED', retryAfterMs });

test(`sign-ups are limited by address and by organization, on ${engineName}`, async () => {
  const [one, other] = [randomUUID(), randomUUID()];
  const signUp = (id: string, address: string | undefined, now?: number) => limitSignUp(strangerTo(id, address, now));
  for (const address of ['192.0.2.1', '192.0.2.1', '192.0.2.2', undefined, undefined]) await signUp(one, address);
  await assert.rejects(signUp(one, '192.0.2.1', NOW + 1), over(HOUR - 1));
  await assert.rejects(signUp(one, undefined), over(HOUR));
  await signUp(other, '192.0.2.1');
  await signUp(one, '192.0.2.1', NOW + HOUR);
  const ofAll = (id: string, now?: number) => limitSignUpsOfAll(strangerTo(id, undefined, now));
  for (let i = 0; i < 4; i++) await ofAll(one);
  await assert.rejects(ofAll(one, NOW + 1), over(HOUR - 1));
  await ofAll(other);
  await ofAll(one, NOW + HOUR);
});

test('one IPv6 network is one address, and a site has as much as sixteen', async () => {
  const id = randomUUID();
  const initiate = (address: string) => limitInitiation(strangerTo(id, address));
  for (let i = 0; i < 3; i++) await initiate(`2001:db8:9:1::${i}`);
  await assert.rejects(initiate('2001:db8:9:1:ffff::1'), over(600_000));
  let taken = 3;
  for (let network = 2; taken < 3 * SITE_SHARE; network++)
    for (let i = 0; i < 3; i++, taken++) await initiate(`2001:db8:9:${network.toString(16)}::1`);
  await assert.rejects(initiate('2001:db8:9:ffff::1'), over(600_000));
  await initiate('2001:db8:a::1');
});

test('codes that are asked for, and codes that are tried, are counted apart', async () => {
  const stranger = strangerTo(randomUUID(), '192.0.2.1');
  for (let i = 0; i < 3; i++) await limitInitiation(stranger);
  await assert.rejects(limitInitiation(stranger), over(600_000));
  for (let i = 0; i < 4; i++) await limitVerification(stranger);
  await assert.rejects(limitVerification(stranger), over(600_000));
});
