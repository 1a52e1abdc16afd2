/** After a copy, windows count as full until they have passed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countMeant, fillWindows } from '../../../src/operator/release/full-windows.ts';
import { release } from '../../../src/operator/release/release.ts';
import { compareCounters } from '../../../src/operator/velocity-check.ts';
import { signWei, weiControl } from '../../activities/velocity-controls/spends.ts';
import { method, operator } from '../../activities/velocity-controls/support.ts';
import { newPolicy } from '../../e2e/authority.ts';
import {
  ALWAYS,
  control,
  EXCEEDED,
  exceeds,
  instance,
  newPlace,
  type Place,
  SIGN,
  signs,
  userIn,
} from '../../e2e/velocity-place.ts';

const { clock, engine } = instance;
const { store } = engine;
const INFINITE = { window: { infinite: {} } };
const DAY = 86_400_000;

const policy = (condition: string, effect: 'EFFECT_ALLOW' | 'EFFECT_DENY') => ({
  condition,
  effect,
  consensus: effect === 'EFFECT_ALLOW' ? 'true' : '',
});

/** When a refusal says that there is room. Undefined: never. */
async function roomFor(place: Place, value: bigint): Promise<number | undefined> {
  const refused = await place.client.submit(SIGN, signWei(place.addresses[0], value));
  assert.equal(refused.status, 403, refused.text);
  const at = /room for it at (\S+) if/.exec(refused.text)?.[1];
  return at === undefined ? undefined : Date.parse(at);
}
const rolling = (seconds: number) => ({ window: { rolling: { duration: String(seconds) } } });

test('limits that bind every signer are full until their windows have passed, and others are not', async () => {
  const place = await newPlace();
  const [from] = place.addresses;
  const id = await control(place, weiControl('always', 10n, ALWAYS, rolling(9_600)));
  await control(place, weiControl('read', 10n, {}, rolling(9_600)));
  const single = { countersign: { ...ALWAYS.countersign, window: { transaction: {} } } };
  await control(place, weiControl('single', 10n, single, { window: { infinite: {} } }));
  await signs(place, signWei(from, 4n));
  assert.equal(await countMeant(store.read, 'none'), 0);
  assert.deepEqual([await countMeant(store.read, 'always'), await countMeant(store.read, 'all')], [1, 2]);
  const before = Math.floor(clock.now() / 1000);
  assert.equal(await fillWindows(store, 'always', clock.now), 1);
  const after = clock.now() / 1000;
  await exceeds(place, signWei(from, 1n), /^velocity control always: \S+ asked, 0 left of /);
  const shown = (await place.client.query('get_velocity_control', { velocityControlId: id })).body.velocityControl;
  const since = Number(shown.countersign.fullSince.seconds);
  assert.ok(since >= before && since <= after, `${before} ${since} ${after}`);
  const { velocityBuckets } = (await place.client.query('list_velocity_buckets', { velocityControlId: id })).body;
  assert.equal(velocityBuckets[0].left, '0');
  assert.deepEqual((await compareCounters(store.read, clock.now)).differing, []);
  // A counter that nothing was counted in is full too, and one that refuses names the time of its room.
  const refused = await place.client.submit('SIGN_TRANSACTION_V2', signWei(place.addresses[1], 10n));
  const at = Date.parse(/room for it at (\S+) if/.exec(refused.text)![1]!);
  assert.ok(at > clock.now() + 9_500_000 && at <= clock.now() + 9_800_000, String(at - clock.now()));
  clock.advance(at - clock.now());
  await signs(place, signWei(from, 10n));
  await exceeds(place, signWei(from, 1n), EXCEEDED);
});

test('a period of the calendar is full until it ends', async () => {
  const place = await newPlace();
  const day = { calendar: { unit: 'day', zone: 'Europe/Berlin' } };
  await control(place, weiControl('daily', 10n, { countersign: { ...ALWAYS.countersign, window: day } }, INFINITE));
  await fillWindows(store, 'always', clock.now);
  const at = (await roomFor(place, 1n))!;
  const shown = new Date(at).toLocaleTimeString('en-GB', { timeZone: 'Europe/Berlin' });
  assert.deepEqual([shown, at > clock.now() && at - clock.now() <= DAY + 3_600_000], ['00:00:00', true]);
  clock.advance(at - clock.now());
  await signs(place, signWei(place.addresses[0], 10n));
  await exceeds(place, signWei(place.addresses[0], 1n), EXCEEDED);
});

test('a limit without an end stays full, and one of counts is full of transfers', async () => {
  const place = await newPlace();
  const [from] = place.addresses;
  const counts = { method: method('COUNT'), threshold: '2', window: { rolling: { duration: '9600' } } };
  await control(place, weiControl('counts', 2n, ALWAYS, counts));
  await signs(place, signWei(from, 1n));
  await fillWindows(store, 'always', clock.now);
  await exceeds(place, signWei(from, 1n), /^velocity control counts: 1 asked, 0 left of 2 /);
  clock.advance((await roomFor(place, 1n))! - clock.now());
  for (let i = 0; i < 2; i++) await signs(place, signWei(from, 1n));
  await exceeds(place, signWei(from, 1n), /^velocity control counts: 1 asked, 0 left of 2 /);

  const ever = await newPlace();
  await control(ever, weiControl('ever', 10n, ALWAYS, INFINITE));
  await fillWindows(store, 'always', clock.now);
  assert.equal(await roomFor(ever, 1n), undefined);
  clock.advance(400 * DAY);
  assert.equal(await roomFor(ever, 1n), undefined);
});

test('a DENY by a control that reports too much denies until the window has passed, if all limits are full', async () => {
  const place = await newPlace();
  const over = { operator: operator('GREATER_THAN'), ...rolling(9_600) };
  await control(place, weiControl('over', 10n, {}, over));
  await newPolicy(place.client, policy("activity.kind == 'SIGN_TRANSACTION'", 'EFFECT_ALLOW'));
  await newPolicy(place.client, policy('controls.over', 'EFFECT_DENY'));
  const client = await userIn(place.client, 'Agent');
  const [from] = place.addresses;
  await signs({ client }, signWei(from, 1n));
  await fillWindows(store, 'always', clock.now);
  await signs({ client }, signWei(from, 1n));
  await fillWindows(store, 'all', clock.now);
  await exceeds({ client }, signWei(from, 1n), EXCEEDED);
  clock.advance(9_800_000);
  await signs({ client }, signWei(from, 10n));
  await exceeds({ client }, signWei(from, 1n), EXCEEDED);
});

test('a release that dies when windows are full, before the quarantine ends, fills them again', async () => {
  const place = await newPlace();
  await control(place, weiControl('always', 10n, ALWAYS, rolling(9_600)));
  const found = {
    ...{ cause: 'copied' as const, detail: 'a test', since: '2026-01-01T00:00:00Z', refusesBefore: null, sendsBefore: null },
    ...{ ended: null, held: [] },
  } as const;
  await store.transaction((tx) => tx.instance.setQuarantine(found));
  const { signal } = new AbortController();
  const means = { config: {} as never, clock, machine: clock, say: () => {}, stopped: signal, limits: 'always' } as const;
  const dies = { ...store, exclusively: () => Promise.reject(new Error('killed')) };
  await assert.rejects(release(means, dies, found, true), /killed/);
  const kept = await store.read.instance.quarantine();
  assert.equal(kept?.ended, null);
  const first = (await roomFor(place, 1n))!;
  clock.advance(1_000_000);
  const { full } = await release(means, store, kept!, true);
  assert.ok(full > 0 && (await roomFor(place, 1n))! >= first + 900_000, 'from the time of the release that ended');
  const ended = (await store.read.instance.quarantine())!;
  assert.notEqual(ended.ended, null);
  clock.advance(1_000_000);
  assert.equal((await release(means, store, ended, true)).full, 0);
});
