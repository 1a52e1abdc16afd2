/** What doctor finds in rows and in a server's settings, which its tests beside a service do not make. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Config } from '../../src/config.ts';
import { checkClock, checkServer } from '../../src/operator/doctor/database.ts';
import type { Found } from '../../src/operator/doctor/finding.ts';
import { checkPeople } from '../../src/operator/doctor/people.ts';
import { checkOutbox, checkSends, checkVelocity } from '../../src/operator/doctor/work.ts';
import type { ServerSettings } from '../../src/store/server-settings.ts';
import { fill, idOf, NOW, type Opened, openMigrated } from '../store/fixture.ts';
import { sendOf } from '../store/repositories/sends/send-rows.ts';
import { engineName } from '../support/database.ts';

let opened: Opened;
before(async () => {
  opened = await openMigrated();
  await opened.store.transaction((tx) => fill(tx, 'one', null));
});
after(() => opened.close());

const LATER = NOW + 11 * 60_000;
const bad = (found: Found[]) => found.filter(({ level }) => level !== 'ok').map(({ level, text }) => `${level}: ${text}`);

test(`messages that failed or are late, and sends that do not end, are named, on ${engineName}`, async () => {
  const { store } = opened;
  const sends = async () => bad(await checkSends(store.read, LATER)).filter((text) => text.includes('state sent'));
  assert.deepEqual([bad(await checkOutbox(store.read, NOW)), await sends()], [[], []]);
  await store.transaction(async (tx) => {
    for (const [id, topic] of [
      ['late', 'mail'],
      ['dead', 'sms'],
    ] as const)
      await tx.outbox.insert({
        ...{ id, topic, organizationId: idOf('one'), activityId: idOf(id), payload: '{}', createdAt: NOW },
      });
    await tx.outbox.dead({ id: 'dead', attempts: 0 }, 'refused');
    await tx.sends.insert(sendOf('one', 'stuck', { state: 'sent', createdAt: NOW }));
    await tx.sendAccounts.makeDue({ caip2: 'eip155:31337', account: 'account of one', kind: 'evm' }, NOW);
  });
  assert.deepEqual(bad(await checkOutbox(store.read, LATER)), [
    'warning: one message could not be sent',
    'warning: a message (mail) has been due for 11 minutes',
  ]);
  assert.deepEqual(await sends(), ['warning: eip155:31337: one send in state sent, the oldest for 11 minutes']);
});

test(`a counter of a limit over time that differs from its entries is named, on ${engineName}`, async () => {
  const found = async () => bad(await checkVelocity(opened.store.read, NOW));
  assert.deepEqual(await found(), []);
  await opened.raw(`UPDATE velocity_counters SET steps = '[[0,"999",9]]'`);
  const [wrong, ...more] = await found();
  assert.deepEqual(more, []);
  assert.match(wrong!, /^problem: velocity control control of [0-9a-f-]{36}, bucket "": 999 in 9 counted, .* in its entries$/);
});

test(`passkeys of another domain, and a root quorum without credentials, are named, on ${engineName}`, async () => {
  const { store } = opened;
  const config = { baseUrl: 'https://sign.example.com' } as Config;
  const found = bad(await checkPeople(config, store.read, NOW)).join('\n');
  assert.match(found, /^warning: one passkey of name \(.*\) cannot be used on pages of sign\.example\.com$/m);
  // The fixture has an organization without users.
  assert.match(found, /^problem: organization new \(.*\) needs one root user, and 0 of them have a credential$/m);
});

test('a server that may lose commits, an unencrypted or unchecked connection, and clocks that differ are named', async () => {
  const { store } = opened;
  const good: ServerSettings = {
    ...{ version: '18.1', fsync: 'on', fullPageWrites: 'on', synchronousCommit: 'on' },
    ...{ isEncrypted: true, isLocal: false, isReadOnly: false, now: NOW },
  };
  const at = (more: Partial<ServerSettings>, databaseUrl: string) =>
    bad(checkServer({ ...good, ...more }, { databaseUrl } as Config)).join('\n');
  assert.equal(at({}, 'postgres://db/x?sslmode=verify-full'), '');
  assert.match(
    at({ fsync: 'off', synchronousCommit: 'off' }, 'postgres://db/x?sslmode=verify-full'),
    /fsync is off.*\n.*_commit is off/,
  );
  assert.match(at({ isEncrypted: false }, 'postgres://db/x'), /^problem: the connection to PostgreSQL is not encrypted$/);
  assert.match(at({}, 'postgres://db/x?sslmode=require'), /^warning: the name and certificate .* are not checked$/);
  await opened.raw('UPDATE clock SET reached = $1', NOW);
  assert.match(bad(await checkClock(store.read, { ...good, now: NOW - 9_000 }, NOW)).join(), /differs from PostgreSQL’s by 9 s/);
  assert.match(bad(await checkClock(store.read, undefined, NOW - 60_000)).join(), /^problem: .* 60 s behind the service’s time/);
});
