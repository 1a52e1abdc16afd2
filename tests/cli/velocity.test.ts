import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { compareCounters } from '../../src/operator/velocity-check.ts';
import { signWei, weiControl } from '../activities/velocity-controls/spends.ts';
import { cli } from '../support/cli.ts';
import { ethereumAccount, resultOf } from '../support/client.ts';
import { sharedInstance } from '../support/instance.ts';

const instance = await sharedInstance();
const { root } = instance;

async function velocity(...args: string[]) {
  const credentials = join(instance.dataDir, 'root-credentials.json');
  return cli(['velocity', ...args, '--url', instance.url, '--credentials', credentials]);
}

let controlId: string;
let activityId: string;
let address: string;
before(async () => {
  const wallet = { walletName: 'W', accounts: [ethereumAccount()] };
  const { addresses } = resultOf(await root.submit('CREATE_WALLET', wallet), 'createWalletResult');
  [address] = addresses;
  const made = await root.submit('CREATE_VELOCITY_CONTROL', weiControl('daily', 10n ** 18n));
  controlId = resultOf(made, 'createVelocityControlResult').velocityControlId;
  activityId = (await root.submit('SIGN_TRANSACTION_V2', signWei(addresses[0], 4n * 10n ** 17n))).body.activity.id;
});

test('controls, their buckets and entries are listed, as text and as JSON', async () => {
  const list = await velocity('list');
  assert.deepEqual(
    [list.code, list.out, list.err],
    [0, `${controlId}  daily  LESS_THAN_OR_EQUAL 1.000000000000000000  in 86400 s  by organization  POLICY\n`, ''],
  );
  assert.match((await velocity('show', controlId)).out, /^organization {2}0\.4 counted {2}0\.6 left {2}more at \d{4}-\S+Z\n$/);
  assert.match(
    (await velocity('entries', controlId)).out,
    new RegExp(`^${controlId}/${activityId}/  \\S+Z  0\\.4  one transfer or activity  spent\n$`),
  );
  const page = await velocity('entries', controlId, '--limit', '1', '--json');
  assert.deepEqual(JSON.parse(page.out).next, activityId);
  assert.equal((await velocity('entries', controlId, '', '--after', activityId)).out, 'Nothing is counted in this bucket.\n');
});

test('a control on its way out tells when it is removed', async () => {
  const delayed = weiControl('leaving', 1n, { countersign: { removalDelay: '3600' } });
  const { velocityControlId } = resultOf(await root.submit('CREATE_VELOCITY_CONTROL', delayed), 'createVelocityControlResult');
  await root.submit('DELETE_VELOCITY_CONTROL', { velocityControlId });
  assert.match((await velocity('list')).out, /leaving {2}LESS_THAN_OR_EQUAL .* POLICY {2}removed at \d{4}-\S+Z\n$/);
});

test('a draft is replayed over the past, as text and as JSON', async () => {
  const draft = join(instance.dataDir, 'draft.json');
  writeFileSync(draft, JSON.stringify(weiControl('draft', 10n ** 17n)));
  const text = await velocity('replay', draft);
  assert.match(
    text.out,
    new RegExp(
      `^${activityId}  \\S+Z  organization  0\\.4 asked  0\\.1 left\n1 executed activity: 1 would have been refused\\.\n$`,
    ),
  );
  const all = JSON.parse((await velocity('replay', draft, '--json', '--from', '2999-01-01')).out);
  assert.deepEqual(all, { examined: 0, activities: [], velocityBuckets: [] });
  assert.equal((await velocity('replay', draft, '--from', 'yesterday')).code, 2);
});

test('a window of the calendar is shown with its zone', async () => {
  const window = { calendar: { unit: 'month', zone: 'Europe/Berlin' } };
  const monthly = weiControl('monthly', 1n, { countersign: { window } }, { window: { infinite: {} } });
  resultOf(await root.submit('CREATE_VELOCITY_CONTROL', monthly), 'createVelocityControlResult');
  assert.match((await velocity('list')).out, / {2}monthly {2}.* {2}each month of Europe\/Berlin {2}by organization/);
});

test('arguments that it does not take are wrong usage, and an unknown control is refused', async () => {
  for (const args of [['shwo'], ['list', 'x'], ['show'], ['show', controlId, 'x'], ['replay']])
    assert.equal((await velocity(...args)).code, 2, args.join(' '));
  assert.equal((await velocity('show', activityId)).code, 1);
});

test('a counter that lost or gained an amount is found, and a right one is not', async () => {
  const { read } = instance.engine.store;
  const compared = () => compareCounters(read, () => instance.clock.now());
  assert.deepEqual(await compared(), { counters: 1, entries: 1, differing: [], isAll: true });
  const [counter] = await read.allVelocityCounters.page(1);
  const [[number, amount]] = counter!.steps as [[number, string, number]];
  for (const [steps, counted] of [
    [[], '0 in 0'],
    [[[number, String(BigInt(amount) + 1n), 1]], `${BigInt(amount) + 1n} in 1`],
  ] as const) {
    const velocityCounters = {
      ...read.velocityCounters,
      steps: async () => steps.map(([n, text, count]) => ({ number: n, amount: BigInt(text), count })),
    };
    const { differing } = await compareCounters({ ...read, velocityCounters }, () => instance.clock.now());
    assert.deepEqual(
      differing.map((one) => [one.identifier, one.counted, one.entries]),
      [['daily', counted, `${amount} in 1`]],
    );
  }
});

test('a reserved amount is given back by command, with a reason; counters are compared with entries', async () => {
  const made = await root.submit('CREATE_VELOCITY_CONTROL', weiControl('sends', 10n));
  const { velocityControlId } = resultOf(made, 'createVelocityControlResult');
  const { store, ids, clock } = instance.engine;
  const window = { kind: 'rolling', seconds: 86_400 } as const;
  const spend = { controlId: velocityControlId, bucket: '', window, amount: 4n, count: 1, isReserved: true };
  const ofSend = ids.next();
  await store.transaction((tx) => tx.velocityCounters.count(root.organizationId, ofSend, [spend], clock.now()));
  const entryId = `${velocityControlId}/${ofSend}/`;
  assert.match((await velocity('show', velocityControlId)).out, /4 counted {2}\S+4 of it reserved {2}\S+6 left/);
  assert.equal((await velocity('release', entryId)).code, 2, 'it needs a reason');
  const released = await velocity('release', entryId, '--reason', 'its send is lost');
  assert.deepEqual([released.code, released.err], [0, '']);
  assert.match((await velocity('entries', velocityControlId)).out, / {2}released\n$/);
  assert.equal((await velocity('release', entryId, '--reason', 'once more')).code, 1);
  const { dataDir, databaseUrl } = instance;
  const env = { DATA_DIR: dataDir, ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }) };
  const checked = await cli(['velocity', 'check'], { env });
  assert.deepEqual([checked.code, checked.out, checked.err], [0, '2 counters and 2 entries: they agree.\n', '']);

  // As if the machine's clock had been set back. The counter's first step has left its window by the service's time alone.
  instance.clock.advance(2 * 86_400_000);
  assert.equal((await root.submit('SIGN_TRANSACTION_V2', signWei(address, 1n))).status, 200);
  assert.equal((await cli(['velocity', 'check'], { env })).out, '4 counters and 6 entries: they agree.\n');

  // A lost counter: such a limit begins at zero again.
  await instance.raw('DELETE FROM velocity_counters WHERE control_id = $1', controlId);
  const lost = await cli(['velocity', 'check'], { env });
  assert.equal(lost.code, 1);
  assert.match(lost.out + lost.err, /daily.*0 in 0.* 1 in 1/s);
});
