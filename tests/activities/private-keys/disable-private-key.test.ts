import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ethers } from 'ethers';
import { approvedBy, denied, newPolicy, newWallet, signing } from '../../e2e/authority.ts';
import { type Answer, resultOf } from '../../support/client.ts';
import { NOBODY, refused } from '../../support/refusals.ts';
import { newPrivateKey, privateKeyOf } from '../custody.ts';
import { agreed, refusedToNobody, sharedPair } from '../support.ts';

const { instance, pair } = await sharedPair();

const TYPE = 'DISABLE_PRIVATE_KEY';
const KEY = 'disablePrivateKeyResult';
const DISABLED: [number, string, RegExp] = [400, 'REQUEST_INVALID', /private key is disabled/];
const shown = async (privateKeyId: string) => (await instance.root.query('get_private_key', { privateKeyId })).body.privateKey;

/** The last approval fails the activity, because its key is disabled. */
function failed({ body }: Answer): void {
  assert.equal(body.activity.status, 'ACTIVITY_STATUS_FAILED');
  assert.match(body.activity.failure.message, DISABLED[2]);
}

test('no signature any more, by id or by any address, in any activity', async () => {
  const { root } = instance;
  const key = await newPrivateKey(root, 'Ends', {
    addressFormats: ['ADDRESS_FORMAT_ETHEREUM', 'ADDRESS_FORMAT_COMPRESSED', 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2TR'],
  });
  const before = await shown(key.privateKeyId);
  const names = [key.privateKeyId, ...key.addresses.map(({ address }) => address)];
  for (const signWith of names) resultOf(await root.submit('SIGN_RAW_PAYLOAD_V2', signing(signWith)), 'signRawPayloadResult');
  const result = resultOf(await root.submit(TYPE, { privateKeyId: key.privateKeyId }), KEY);
  assert.deepEqual(result, { privateKeyId: key.privateKeyId });
  const { payload, ...many } = signing('');
  const to = `0x${'1'.repeat(40)}`;
  const unsignedTransaction = ethers.Transaction.from({ to, chainId: 1, gasLimit: 21_000, type: 2 }).unsignedSerialized;
  for (const signWith of [...names, key.privateKeyId.toUpperCase(), key.addresses[0]!.address.toLowerCase()]) {
    refused(await root.submit('SIGN_RAW_PAYLOAD_V2', signing(signWith)), DISABLED, 'parameters.signWith');
    const batch = { ...many, signWith, payloads: [payload] };
    refused(await root.submit('SIGN_RAW_PAYLOADS', batch), DISABLED, 'parameters.signWith');
    const transaction = { signWith, unsignedTransaction: unsignedTransaction.slice(2), type: 'TRANSACTION_TYPE_ETHEREUM' };
    refused(await root.submit('SIGN_TRANSACTION_V2', transaction), DISABLED, 'parameters.signWith');
  }
  assert.deepEqual({ ...(await shown(key.privateKeyId)), updatedAt: before.updatedAt }, before);
});

test('export and deletion still work, and a second time changes nothing', async () => {
  const { root } = instance;
  const { privateKeyId, addresses } = await newPrivateKey(root, 'Taken along');
  for (let i = 0; i < 2; i++) resultOf(await root.submit(TYPE, { privateKeyId }), KEY);
  const other = await newPrivateKey(root, 'Another');
  resultOf(await root.submit('SIGN_RAW_PAYLOAD_V2', signing(other.privateKeyId)), 'signRawPayloadResult');
  assert.equal(ethers.computeAddress(`0x${await privateKeyOf(root, privateKeyId)}`), addresses[0]!.address);
  assert.equal((await shown(privateKeyId)).exported, true);
  refused(await root.submit('SIGN_RAW_PAYLOAD_V2', signing(privateKeyId)), DISABLED);
  resultOf(await root.submit('DELETE_PRIVATE_KEYS', { privateKeyIds: [privateKeyId] }), 'deletePrivateKeysResult');
  refused(await root.submit('SIGN_RAW_PAYLOAD_V2', signing(privateKeyId)), [404, 'UNSPECIFIED', /signer not found/]);
});

test('what waits for a second signature when the key is disabled is refused', async () => {
  const made = await agreed(pair, 'CREATE_PRIVATE_KEYS_V2', {
    privateKeys: [{ privateKeyName: 'Waits', curve: 'CURVE_SECP256K1', privateKeyTags: [], addressFormats: [] }],
  });
  const { privateKeyId } = resultOf(made, 'createPrivateKeysResultV2').privateKeys[0];
  const [first, second] = pair.clients;
  const body = first.bodyOf('SIGN_RAW_PAYLOAD_V2', signing(privateKeyId));
  const path = '/public/v1/submit/sign_raw_payload';
  assert.equal((await first.send(path, body)).body.activity.status, 'ACTIVITY_STATUS_CONSENSUS_NEEDED');
  resultOf(await agreed(pair, TYPE, { privateKeyId }), KEY);
  failed(await second.send(path, body));
});

test('signing while it is disabled: signed before, or refused', async () => {
  const { privateKeyId } = await newPrivateKey(instance.root, 'Raced');
  const sign = () => instance.root.submit('SIGN_RAW_PAYLOAD_V2', signing(privateKeyId));
  const [ended, ...signed] = await Promise.all([
    instance.root.submit(TYPE, { privateKeyId }),
    ...Array.from({ length: 6 }, sign),
  ]);
  resultOf(ended!, KEY);
  for (const answer of signed) if (answer.status !== 200) refused(answer, DISABLED);
  refused(await sign(), DISABLED);
});

test('an unknown key, a wallet, a wallet account, and the key of another organization', async () => {
  const made = await agreed(pair, 'CREATE_PRIVATE_KEYS_V2', {
    privateKeys: [{ privateKeyName: 'Theirs', curve: 'CURVE_P256', privateKeyTags: [], addressFormats: [] }],
  });
  const { privateKeyId: theirs } = resultOf(made, 'createPrivateKeysResultV2').privateKeys[0];
  const { walletId, addresses } = await newWallet(instance.root);
  const { accounts } = (await instance.root.query('list_wallet_accounts', { walletId })).body;
  for (const privateKeyId of [NOBODY, theirs, walletId, accounts[0].walletAccountId])
    refused(await instance.root.submit(TYPE, { privateKeyId }), [404, 'UNSPECIFIED', /private key not found/]);
  resultOf(await instance.root.submit('SIGN_RAW_PAYLOAD_V2', signing(addresses[0]!)), 'signRawPayloadResult');
  resultOf(await agreed(pair, 'SIGN_RAW_PAYLOAD_V2', signing(theirs)), 'signRawPayloadResult');
});

test('a user without permission is refused, until a policy allows it', async () => {
  const { privateKeyId } = await newPrivateKey(instance.root, 'Guarded');
  await refusedToNobody(instance, TYPE, { privateKeyId });
  resultOf(await instance.root.submit('SIGN_RAW_PAYLOAD_V2', signing(privateKeyId)), 'signRawPayloadResult');
  const { client, userId } = await instance.newUser('Warden');
  denied(await client.submit(TYPE, { privateKeyId }));
  await newPolicy(instance.root, {
    condition: "activity.type == 'ACTIVITY_TYPE_DISABLE_PRIVATE_KEY' && activity.resource == 'PRIVATE_KEY'",
    consensus: approvedBy(userId),
  });
  resultOf(await client.submit(TYPE, { privateKeyId }), KEY);
});
