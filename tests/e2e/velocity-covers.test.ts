/** What a limit over time covers: keys, users and kinds of activities. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signWei, weiControl } from '../activities/velocity-controls/spends.ts';
import { aggregation, method, operator, velocityControl } from '../activities/velocity-controls/support.ts';
import { ethereumAccount, resultOf } from '../support/client.ts';
import { newTarget } from '../support/published.ts';
import { refusedByOwn } from '../support/refusals.ts';
import { ALWAYS, control, digestBy, exceeds, newPlace, signs } from './velocity-place.ts';

test('scopes: only their keys and users are bound', async () => {
  const place = await newPlace();
  const other = resultOf(
    await place.client.submit('CREATE_WALLET', { walletName: 'Other', accounts: [ethereumAccount()] }),
    'createWalletResult',
  );
  await control(
    place,
    weiControl('mine', 1n, { countersign: { enforcement: 'ALWAYS', scope: { walletIds: [place.walletId] } } }),
  );
  const { userId } = (await place.client.query('whoami')).body;
  await control(place, weiControl('root', 5n, { countersign: { enforcement: 'ALWAYS', scope: { userIds: [userId] } } }));
  await exceeds(place, signWei(place.addresses[0], 2n), /control mine/);
  await signs(place, signWei(other.addresses[0], 5n));
  await exceeds(place, signWei(other.addresses[0], 1n), /control root/);
});

test('a scope of keys beside wallets binds these keys alone', async () => {
  const place = await newPlace();
  const { client, addresses } = place;
  const key = (privateKeyName: string) => ({
    ...{ privateKeyName, curve: 'CURVE_SECP256K1', privateKeyTags: [], addressFormats: ['ADDRESS_FORMAT_ETHEREUM'] },
  });
  const made = await client.submit('CREATE_PRIVATE_KEYS_V2', { privateKeys: [key('bound'), key('free')] });
  const [bound, free] = resultOf(made, 'createPrivateKeysResultV2').privateKeys;
  const scope = { privateKeyIds: [bound.privateKeyId] };
  await control(place, weiControl('of_key', 5n, { countersign: { enforcement: 'ALWAYS', scope } }));
  await signs(place, signWei(bound.privateKeyId, 3n));
  await exceeds(place, signWei(bound.addresses[0].address, 3n), /control of_key: \S+3 asked, \S+2 left /);
  await signs(place, signWei(free.privateKeyId, 6n));
  await signs(place, signWei(addresses[0], 6n));
  await signs(place, signWei(bound.privateKeyId, 2n));
});

test('a filter of transfers counts the kinds that it names, in all versions, and no others', async () => {
  const place = await newPlace();
  const [address] = place.addresses;
  const filter = { activity: [{ activityType: 'ACTIVITY_TYPE_SIGN_TRANSACTION' }] };
  const definition = [{ caip19: 'eip155:1/slip44:60', decimals: '18' }];
  const dataSource = { chainAssetTransfer: { definition, filter } };
  const id = await control(place, weiControl('named', 5n, { ...ALWAYS, dataSource }));
  await signs(place, signWei(address, 3n));
  await exceeds(place, signWei(address, 3n), /control named: \S+3 asked, \S+2 left /);
  // What it signs cannot be read, and would be refused if the kind were covered.
  await signs(place, digestBy(address), 'SIGN_RAW_PAYLOAD_V2');
  const { velocityBuckets } = (await place.client.query('list_velocity_buckets', { velocityControlId: id })).body;
  assert.equal(velocityBuckets[0].counted, '0.000000000000000003');
  await control(place, weiControl('every_kind', 5n, ALWAYS));
  const refusal = await place.client.submit('SIGN_RAW_PAYLOAD_V2', digestBy(address));
  refusedByOwn(refusal, [403, 'VELOCITY_NOT_READABLE', /^velocity control every_kind: what the activity takes cannot be read: /]);
  const { velocityControlId, ...facts } = refusal.body.details[1];
  assert.deepEqual(facts, {
    '@type': 'type.googleapis.com/countersign.v1.VelocityDetail',
    identifier: 'every_kind',
    window: { rolling: { duration: '86400' } },
    unreadable: refusal.body.message.split('cannot be read: ')[1],
  });
  assert.notEqual(velocityControlId, id);
  const stored = (await place.client.query('get_activity', { activityId: refusal.body.details.at(-1).activityId })).body;
  assert.equal(stored.activity.status, 'ACTIVITY_STATUS_FAILED');
});

test('a scope of user tags binds users while they have the tag', async () => {
  const place = await newPlace();
  const { client, addresses } = place;
  const { userTagId } = resultOf(
    await client.submit('CREATE_USER_TAG', { userTagName: 'T', userIds: [] }),
    'createUserTagResult',
  );
  const scope = { userTagIds: [userTagId] };
  await control(place, weiControl('tagged', 5n, { countersign: { enforcement: 'ALWAYS', scope } }));
  await signs(place, signWei(addresses[0], 6n));
  const { userId } = (await client.query('whoami')).body;
  const tag = (addUserIds: string[], removeUserIds: string[]) =>
    signs(place, { userTagId, addUserIds, removeUserIds }, 'UPDATE_USER_TAG');
  await tag([userId], []);
  await exceeds(place, signWei(addresses[0], 6n), /control tagged/);
  await signs(place, signWei(addresses[0], 5n));
  await tag([], [userId]);
  await signs(place, signWei(addresses[0], 6n));
});

test('a scope of a wallet covers each activity that names the wallet, its accounts or their addresses', async () => {
  const place = await newPlace();
  const { client, walletId, addresses } = place;
  const { accounts } = (await client.query('list_wallet_accounts', { walletId })).body;
  const exporting = { targetPublicKey: newTarget().publicKey };
  const asks: [type: string, parameters: object][] = [
    ['EXPORT_WALLET', { walletId, ...exporting }],
    ['EXPORT_WALLET_ACCOUNT', { address: addresses[1], ...exporting }],
    ['UPDATE_WALLET_ACCOUNT_NAME', { walletAccountId: accounts[0].walletAccountId, name: 'N' }],
    ['DELETE_WALLET_ACCOUNTS', { walletAccountIds: [accounts[0].walletAccountId], deleteWithoutExport: true }],
    ['DELETE_WALLETS', { walletIds: [walletId], deleteWithoutExport: true }],
  ];
  const activity = asks.map(([type]) => ({ activityType: `ACTIVITY_TYPE_${type}` }));
  const counts = aggregation({ method: method('COUNT'), operator: operator('LESS_THAN'), threshold: '1' });
  const dataSource = { activityExecution: { filter: { activity } } };
  const countersign = { enforcement: 'ALWAYS', scope: { walletIds: [walletId] } };
  await control(place, velocityControl({ identifier: 'kept', dataSource, aggregation: counts, countersign }));
  for (const [type, parameters] of asks) await exceeds(place, parameters, /control kept/, type);
  const other = resultOf(
    await client.submit('CREATE_WALLET', { walletName: 'Other', accounts: [ethereumAccount()] }),
    'createWalletResult',
  );
  await signs(place, { address: other.addresses[0], ...exporting }, 'EXPORT_WALLET_ACCOUNT');
});
