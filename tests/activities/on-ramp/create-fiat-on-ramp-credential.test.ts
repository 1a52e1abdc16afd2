import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listFiatOnRampCredentials } from '../../../src/queries/on-ramp/list-fiat-on-ramp-credentials.ts';
import { resultOf } from '../../support/client.ts';
import { coinbaseCredential, coinbaseKeys, encryptedFor, moonpayCredential, moonpayKeys } from '../../support/on-ramp.ts';
import { refused, refusesEach } from '../../support/refusals.ts';
import { sharedPair, waitsForBoth } from '../support.ts';

const { instance, pair } = await sharedPair({ LIMIT_FIAT_ON_RAMP_CREDENTIALS: '4' });

const TYPE = 'CREATE_FIAT_ON_RAMP_CREDENTIAL';
const KEY = 'createFiatOnRampCredentialResult';
const coinbase = await coinbaseCredential(instance.url);
const moonpay = await moonpayCredential(instance.url);

test('credentials are listed as they were sent, and their secrets are nowhere in clear', async () => {
  const ids: string[] = [];
  for (const sample of [coinbase, { ...moonpay, sandboxMode: true }])
    ids.push(resultOf(await instance.root.submit(TYPE, sample), KEY).fiatOnRampCredentialId);
  const { body } = await instance.root.query('list_fiat_on_ramp_credentials');
  assert.deepEqual(listFiatOnRampCredentials.result.parse(body), body);
  const shown = body.fiatOnRampCredentials.map(({ createdAt: _, updatedAt: __, ...rest }: Record<string, unknown>) => rest);
  const { organizationId } = instance.root;
  assert.deepEqual(shown, [
    { ...coinbase, sandboxMode: false, organizationId, fiatOnrampCredentialId: ids[0] },
    { ...moonpay, sandboxMode: true, organizationId, fiatOnrampCredentialId: ids[1] },
  ]);
  const rows = await instance.raw('SELECT * FROM fiat_on_ramp_credentials ORDER BY id');
  for (const secret of [coinbaseKeys.edwards.text, moonpayKeys.secret])
    for (const value of rows.flatMap((row) => Object.values(row)))
      assert.ok(!Buffer.from(value instanceof Uint8Array ? value : String(value)).includes(secret));
  assert.ok((rows[0]!.sealed_private_api_key as Uint8Array).length > 88);
});

test('a secret that cannot be used', async () => {
  const sealed = (secret: string) => encryptedFor(instance.url, secret);
  const good = moonpay.encryptedSecretApiKey;
  const other = good.slice(0, -1) + (good.endsWith('z') ? 'y' : 'z');
  const secrets: [string, RegExp][] = [
    ['0OIl', /is not base58 with a checksum\. .*on-ramp-secret-encryption/],
    [other, /is not base58 with a checksum/],
    [good.slice(2), /is not base58 with a checksum/],
    [
      '5LyWQqNXa17ReShrxzq9GvRWxYPWUJT2ZoJdtgmRjbmzaL9yqYixMYjc3wJbb5bBpD76tMEUfF4SsBvxdcUKFyM',
      /is not sealed to the key of this service/,
    ],
    [await sealed('two words'), /must hold a secret key/],
    [await sealed('x'.repeat(513)), /must hold a secret key/],
    ['1'.repeat(2049), /at most 2048 characters/],
  ];
  await refusesEach(
    instance.root,
    TYPE,
    secrets.map(([encryptedSecretApiKey, text]) => [
      { ...moonpay, encryptedSecretApiKey },
      'parameters.encryptedSecretApiKey',
      text,
    ]),
  );
  const field = 'parameters.encryptedPrivateApiKey';
  const { encryptedPrivateApiKey } = coinbase;
  await refusesEach(instance.root, TYPE, [
    [{ ...coinbase, encryptedPrivateApiKey: await sealed('no key') }, field, /must hold a private key of EC P-256/],
    [{ ...coinbase, encryptedPrivateApiKey: undefined }, field, /must be set: Coinbase/],
    [{ ...moonpay, encryptedPrivateApiKey }, field, /must not be set: MoonPay/],
    [{ ...moonpay, onrampProvider: 'MOONPAY' }, 'parameters.onrampProvider', /must be one of FIAT_ON_RAMP_PROVIDER_COINBASE/],
  ]);
});

test('waits for the second root user; only its own organization and the parent see it', async () => {
  const { fiatOnRampCredentialId } = await waitsForBoth(pair, TYPE, moonpay, KEY);
  const listed = async (client: { query: typeof pair.outsider.query }) =>
    (await client.query('list_fiat_on_ramp_credentials')).body.fiatOnRampCredentials.map(
      (one: { fiatOnrampCredentialId: string }) => one.fiatOnrampCredentialId,
    );
  assert.deepEqual(await listed(pair.outsider), [fiatOnRampCredentialId]);
  assert.ok(!(await listed(instance.root)).includes(fiatOnRampCredentialId));
});

test('an organization has so many at most, and room again after one was deleted', async () => {
  const ids: string[] = [];
  for (let i = 0; i < 2; i++) ids.push(resultOf(await instance.root.submit(TYPE, moonpay), KEY).fiatOnRampCredentialId);
  const text = /limit of 4 on-ramp credentials \(LIMIT_FIAT_ON_RAMP_CREDENTIALS\)/;
  refused(await instance.root.submit(TYPE, moonpay), [429, 'UNSPECIFIED', text]);
  const deleted = { fiatOnrampCredentialId: ids[0] };
  resultOf(await instance.root.submit('DELETE_FIAT_ON_RAMP_CREDENTIAL', deleted), 'deleteFiatOnRampCredentialResult');
  resultOf(await instance.root.submit(TYPE, moonpay), KEY);
});
