/** After a copy, windows count as full until they have passed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countMeant, fillWindows } from '../../../src/operator/release/full-windows.ts';
import { compareCounters } from '../../../src/operator/velocity-check.ts';
import { signWei, weiControl } from '../../activities/velocity-controls/spends.ts';
import { ALWAYS, control, EXCEEDED, exceeds, instance, newPlace, signs } from '../../e2e/velocity-place.ts';

const { clock, engine } = instance;
const { store } = engine;
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
