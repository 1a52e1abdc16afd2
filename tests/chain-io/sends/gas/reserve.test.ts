import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ApiError } from '../../../../src/base/errors.ts';
import { coverGas, raiseGas, releaseGas, reserveGas, settleGas } from '../../../../src/chain-io/sends/gas/reserve.ts';
import { type GasConfig, MICRO } from '../../../../src/model/gas.ts';
import { newOrganization, type Organization } from '../../../../src/model/organization.ts';
import { openStore } from '../../../../src/store/store.ts';
import type { Store, Writer } from '../../../../src/store/types.ts';
import { idOf, NOW, type Opened, openMigrated } from '../../../store/fixture.ts';
import { gasConfigOf } from '../../../store/repositories/sends/gas-rows.ts';
import { engineName } from '../../../support/database.ts';

let opened: Opened;
/** On PostgreSQL another process's. */
let second: Store;
before(async () => {
  opened = await openMigrated();
  const { folder, url, store } = opened;
  second = url === undefined ? store : openStore({ folder, url, poolSize: 8 });
});
after(async () => {
  if (second !== opened.store) await second.close();
  await opened.close();
});

/** One coin costs one USD. */
const price = { usdE18: 10n ** 18n, decimals: 18 };
const coins = (usd: number) => BigInt(Math.round(usd * MICRO)) * 10n ** 12n;

let made = 0;

/** A top-level organization and a sub-organization of it. */
async function newHome(more: Partial<GasConfig> = {}): Promise<{ top: Organization; sub: Organization }> {
  const root = { rootQuorum: { threshold: 1, userIds: [] }, features: {}, name: 'home', createdAt: NOW };
  const top = newOrganization({ ...root, id: idOf(`home ${++made}`), parentId: null });
  const sub = newOrganization({ ...root, id: idOf(`sub ${made}`), parentId: top.id });
  const limits = { orgLimitMicroUsd: 100 * MICRO, subOrgLimitMicroUsd: 10 * MICRO };
  await opened.store.transaction(async (tx) => {
    for (const organization of [top, sub]) await tx.organizations.insert(organization);
    await tx.gas.insertConfig(gasConfigOf(top.id, { ...limits, ...more }));
  });
  return { top, sub };
}

type Reserving = { store?: Store; now?: number; send?: string };

const reserve = (
  organization: Organization,
  usd: number,
  { store = opened.store, now = NOW, send = idOf(`send ${++made}`) }: Reserving = {},
) => store.transaction((tx) => reserveGas({ store: tx, organization, now }, { sendId: send, units: coins(usd), price }));
/** A send that has spent this amount already. */
const spending = ({ id: organizationId }: Organization, id: string, usd = 0) => ({
  organizationId,
  id,
  spent: String(coins(usd)),
});
const raise = (organization: Organization, send: string, usd: number, spentUsd = 0) =>
  opened.store.transaction((tx) =>
    raiseGas({ store: tx, organization, now: NOW }, spending(organization, send, spentUsd), coins(usd)),
  );
const settle = (organization: Organization, id: string, usd: number, spentUsd = 0) =>
  opened.store.transaction((tx) => settleGas(tx, spending(organization, id, spentUsd), coins(usd)));
const spent = async ({ id }: Organization, now = NOW) => (await opened.store.read.gas.spent(id, now, 3_600_000)) / MICRO;

const refusal = (code: string, text: RegExp, retry?: number) => (error: unknown) => {
  assert.ok(error instanceof ApiError, String(error));
  assert.equal(error.code, code);
  assert.match(error.message, text);
  assert.equal(error.retryAfterMs, retry);
  return true;
};

test(`a reserve is rounded up, and counts for the sub-organization and for its parent, on ${engineName}`, async () => {
  const { top, sub } = await newHome();
  const send = idOf('rounded');
  const reserving = { sendId: send, units: coins(4) + 1n, price };
  const reserved = await opened.store.transaction((tx) => reserveGas({ store: tx, organization: sub, now: NOW }, reserving));
  assert.equal(reserved, 4_000_001);
  assert.deepEqual(await opened.store.read.gas.reservation(sub.id, send), {
    organizationId: sub.id,
    sendId: send,
    payerId: top.id,
    reservedAt: NOW,
    microUsd: 4_000_001,
    usdE18: String(10n ** 18n),
    decimals: 18,
  });
  await reserve(top, 50);
  assert.deepEqual([await spent(sub), await spent(top)], [4.000001, 54.000001]);
});

test(`nothing is sponsored unless it is enabled, on ${engineName}`, async () => {
  const { top, sub } = await newHome({ enabled: false });
  for (const organization of [top, sub])
    await assert.rejects(reserve(organization, 0), refusal('SPONSORSHIP_DISABLED', /UPSERT_GAS_USAGE_CONFIG/));
  const bare = { ...top, id: idOf('not configured') };
  await assert.rejects(reserve(bare, 0), refusal('SPONSORSHIP_DISABLED', /./));
});

test(`a limit is reached to the last micro-USD, and a cost beyond it reserves nothing, on ${engineName}`, async () => {
  const { top, sub } = await newHome({ orgLimitMicroUsd: 15 * MICRO });
  await reserve(sub, 10);
  const tooMuch = /limit of this sub-organization is too low for this send, which may cost up to 0.000001 USD/;
  await assert.rejects(reserve(sub, 0.000001), refusal('GAS_LIMIT_EXCEEDED', tooMuch, 60_000));
  await reserve(top, 5);
  await assert.rejects(reserve(top, 0.000001), refusal('GAS_LIMIT_EXCEEDED', /limit of the organization/, 60_000));
  assert.deepEqual([await spent(sub), await spent(top)], [10, 15]);
});

test(`the parent's limit is for all, and its numbers are told to no sub-organization, on ${engineName}`, async () => {
  const { top, sub } = await newHome({ orgLimitMicroUsd: 12_345_678 });
  await reserve(top, 12);
  await assert.rejects(reserve(sub, 1), (error) => {
    refusal('GAS_LIMIT_EXCEEDED', /limit of the parent organization/, 60_000)(error);
    assert.doesNotMatch((error as Error).message, /12/);
    return true;
  });
});

test(`a cost above the limit by itself never fits, on ${engineName}`, async () => {
  const { sub } = await newHome();
  await assert.rejects(reserve(sub, 10.000001), refusal('GAS_LIMIT_EXCEEDED', /10.000001 USD/, undefined));
});

test(`a cost that leaves the window makes room, on ${engineName}`, async () => {
  const { sub } = await newHome({ windowMinutes: 1 });
  await reserve(sub, 10);
  const later = (ms: number) => reserve(sub, 10, { now: NOW + ms });
  await assert.rejects(later(59_999), refusal('GAS_LIMIT_EXCEEDED', /./, 1000));
  await later(61_000);
});

test(`settling puts the cost in the place of what was reserved, as often as it is told, on ${engineName}`, async () => {
  const { top, sub } = await newHome();
  const send = idOf('settled');
  await reserve(sub, 8, { send });
  await settle(sub, send, 3);
  assert.deepEqual([await spent(sub), await spent(top)], [3, 3]);
  await settle(sub, send, 3);
  assert.deepEqual([await spent(sub), await spent(top)], [3, 3]);
  await settle(sub, send, 5.5);
  assert.deepEqual([await spent(sub), await spent(top)], [5.5, 5.5]);
  await opened.store.transaction((tx) => releaseGas(tx, spending(sub, send)));
  assert.deepEqual([await spent(sub), await spent(top)], [0, 0]);
  await settle(sub, idOf('never reserved'), 3);
  assert.deepEqual([await spent(sub), await spent(top)], [0, 0]);
});

test(`a cost is told also where it is what was reserved, on ${engineName}`, async () => {
  const { top } = await newHome();
  const send = idOf(`send ${++made}`);
  await reserve(top, 2, { send });
  const told: number[] = [];
  await opened.store.transaction((tx) => {
    const setReserved: typeof tx.gas.setReserved = (organizationId, id, microUsd) => {
      told.push(microUsd);
      return tx.gas.setReserved(organizationId, id, microUsd);
    };
    const gas = { ...tx.gas, setReserved };
    return settleGas({ gas } as unknown as Writer, spending(top, send), coins(2));
  });
  assert.deepEqual(told, [2 * MICRO]);
  assert.equal(await spent(top), 2);
});

test(`a send that may cost more takes what is missing, or nothing, on ${engineName}`, async () => {
  const { top, sub } = await newHome();
  const send = idOf('raised');
  await reserve(sub, 4, { send });
  assert.equal(await raise(sub, send, 3), 4 * MICRO, 'that much is reserved already');
  assert.equal(await raise(sub, send, 10), 10 * MICRO);
  await assert.rejects(raise(sub, send, 10.5), refusal('GAS_LIMIT_EXCEEDED', /10.50 USD/));
  assert.deepEqual([await spent(sub), await spent(top)], [10, 10]);
});

test(`the spent amount of a send is in all its figures, and counts whatever the limits are, on ${engineName}`, async () => {
  const { top, sub } = await newHome();
  const send = idOf('spent');
  await reserve(sub, 4, { send });
  assert.equal(await raise(sub, send, 3, 2), 5 * MICRO);
  await assert.rejects(raise(sub, send, 8.5, 2), refusal('GAS_LIMIT_EXCEEDED', /10.50 USD/));
  const cover = (usd: number, spentUsd: number) =>
    opened.store.transaction((tx) => coverGas(tx, spending(sub, send, spentUsd), coins(usd)));
  await cover(1, 2);
  assert.deepEqual([await spent(sub), await spent(top)], [5, 5], 'that much is reserved already');
  await cover(2, 9);
  assert.deepEqual([await spent(sub), await spent(top)], [11, 11]);
  await assert.rejects(reserve(sub, 0.000001), refusal('GAS_LIMIT_EXCEEDED', /./, 60_000));
  await settle(sub, send, 3, 9);
  await settle(sub, send, 3, 9);
  assert.deepEqual([await spent(sub), await spent(top)], [12, 12]);
  await opened.store.transaction((tx) => releaseGas(tx, spending(sub, send, 9)));
  assert.deepEqual([await spent(sub), await spent(top)], [9, 9]);
});

test(`raised and settled at once, each counts, on ${engineName}`, async () => {
  const { sub } = await newHome({ subOrgLimitMicroUsd: 1000 * MICRO, orgLimitMicroUsd: 1000 * MICRO });
  for (let i = 0; i < 20; i++) {
    const send = idOf(`contended ${i}`);
    await reserve(sub, 4, { send });
    await Promise.all([raise(sub, send, 6), settle(sub, send, 1)]);
    const left = (await opened.store.read.gas.reservation(sub.id, send))!.microUsd / MICRO;
    await settle(sub, send, 0);
    assert.ok(left === 6 || left === 1);
    assert.equal(await spent(sub), 0);
  }
});

test(`200 sends together at nine tenths of a limit: those that fit are accepted, and no more, on ${engineName}`, async () => {
  const { top, sub } = await newHome({ subOrgLimitMicroUsd: 50 * MICRO, orgLimitMicroUsd: 100 * MICRO });
  const other = { ...sub, id: idOf('other sub') };
  await opened.store.transaction((tx) => tx.organizations.insert(other));
  await reserve(sub, 45);
  await reserve(top, 45);
  const outcomes = await Promise.allSettled(
    Array.from({ length: 200 }, (_, i) =>
      reserve(i % 2 ? sub : other, 1, { store: i % 4 < 2 ? opened.store : second, now: NOW + i }),
    ),
  );
  const taken = outcomes.filter(({ status }) => status === 'fulfilled').length;
  for (const outcome of outcomes)
    if (outcome.status === 'rejected')
      refusal('GAS_LIMIT_EXCEEDED', /limit of (this sub-|the parent )organization/, 60_000)(outcome.reason);
  assert.equal(taken, 10);
  assert.equal(await spent(top), 100);
  assert.ok((await spent(sub)) <= 50);
});
