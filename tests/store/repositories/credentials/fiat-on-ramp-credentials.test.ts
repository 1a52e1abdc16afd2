import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { engineName } from '../../../support/database.ts';
import { fill, idOf, NOW, type Opened, openMigrated } from '../../fixture.ts';
import { fiatOnRampCredentialOf } from './on-ramp-rows.ts';

const org = idOf('org');
let opened: Opened;
before(async () => {
  opened = await openMigrated();
  await opened.store.transaction((tx) => fill(tx, org, null));
});
after(() => opened.close());

test(`a credential is stored, replaced and removed, and the newest of a provider and mode is found, on ${engineName}`, async () => {
  const { store } = opened;
  const { fiatOnRampCredentials: read } = store.read;
  const write = (
    work: (tx: Parameters<Parameters<typeof store.transaction>[0]>[0]['fiatOnRampCredentials']) => Promise<unknown>,
  ) => store.transaction((tx) => work(tx.fiatOnRampCredentials));
  const bare = { projectId: null, encryptedPrivateApiKey: null, sealedPrivateApiKey: null };
  const coinbase = fiatOnRampCredentialOf(org, 'a');
  const moonpay = fiatOnRampCredentialOf(org, 'b', { provider: 'FIAT_ON_RAMP_PROVIDER_MOONPAY', sandboxMode: true, ...bare });
  for (const one of [coinbase, moonpay]) await write((credentials) => credentials.insert(one));
  assert.deepEqual(await read.get(org, coinbase.id), coinbase);
  assert.deepEqual(await read.newest(org, 'FIAT_ON_RAMP_PROVIDER_MOONPAY', true), moonpay);
  assert.equal(await read.newest(org, 'FIAT_ON_RAMP_PROVIDER_MOONPAY', false), undefined);
  assert.equal((await read.page(org, { limit: 10 })).length, 3);
  const newer = { ...coinbase, ...bare, publishableApiKey: 'another', updatedAt: NOW + 1 };
  await write((credentials) => credentials.replace(newer));
  assert.deepEqual(await read.get(org, coinbase.id), newer);
  assert.equal(await store.transaction((tx) => tx.fiatOnRampCredentials.remove(org, moonpay.id)), true);
  assert.equal(await store.transaction((tx) => tx.fiatOnRampCredentials.remove(org, moonpay.id)), false);
  assert.equal(await read.get(org, moonpay.id), undefined);
});
