import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listPrivateKeys } from '../../../src/queries/private-keys/list-private-keys.ts';
import { resultOf } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';

const instance = await sharedInstance();

const key = (privateKeyName: string, curve: string, ...addressFormats: string[]) => ({
  privateKeyName,
  curve,
  privateKeyTags: [],
  addressFormats,
});

test('all keys in the order of their creation, each as get_private_key shows it', async () => {
  assert.deepEqual((await instance.root.query('list_private_keys')).body, { privateKeys: [] });
  const privateKeys = [
    key('c', 'CURVE_SECP256K1', 'ADDRESS_FORMAT_ETHEREUM', 'ADDRESS_FORMAT_COMPRESSED'),
    key('a', 'CURVE_P256'),
    key('b', 'CURVE_ED25519', 'ADDRESS_FORMAT_SOLANA'),
  ];
  await instance.root.submit('CREATE_PRIVATE_KEYS_V2', { privateKeys });
  const { body } = await instance.root.query('list_private_keys');
  assert.deepEqual(listPrivateKeys.result.parse(body), body, 'the answer has its declared shape');
  assert.deepEqual(
    body.privateKeys.map((k: { privateKeyName: string; addresses: unknown[] }) => [k.privateKeyName, k.addresses.length]),
    [
      ['c', 2],
      ['a', 0],
      ['b', 1],
    ],
  );
  for (const shown of body.privateKeys) {
    const { privateKeyId } = shown;
    assert.deepEqual((await instance.root.query('get_private_key', { privateKeyId })).body.privateKey, shown);
  }
});

test('a wallet’s accounts are not among them, and each organization has its own', async () => {
  const sub = await instance.newSubOrganization('Sub', 1, 1);
  const account = {
    curve: 'CURVE_SECP256K1',
    pathFormat: 'PATH_FORMAT_BIP32',
    path: 'm/0',
    addressFormat: 'ADDRESS_FORMAT_ETHEREUM',
  };
  resultOf(await sub.clients[0]!.submit('CREATE_WALLET', { walletName: 'W', accounts: [account] }), 'createWalletResult');
  assert.deepEqual((await sub.clients[0]!.query('list_private_keys')).body, { privateKeys: [] });
  resultOf(
    await sub.clients[0]!.submit('CREATE_PRIVATE_KEYS_V2', { privateKeys: [key('c', 'CURVE_P256')] }),
    'createPrivateKeysResultV2',
  );
  const parent = instance.root.as(instance.root.keys, sub.organizationId);
  assert.equal((await parent.query('list_private_keys')).body.privateKeys.length, 1);
});
