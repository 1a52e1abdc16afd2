import assert from 'node:assert/strict';
import { test } from 'node:test';
import { base58 } from '@scure/base';
import { Keypair } from '@solana/web3.js';
import { ethers } from 'ethers';
import { mnemonicToAccount } from 'viem/accounts';
import { approvedBy, denied, newPolicy, newWallet, signing } from '../../e2e/authority.ts';
import { ethereumAccount, resultOf } from '../../support/client.ts';
import { newTarget } from '../../support/published.ts';
import { refused, refusesEach } from '../../support/refusals.ts';
import { exportedKey, mnemonicOf, newPrivateKey } from '../custody.ts';
import { agreed, sharedPair } from '../support.ts';

const { instance, pair } = await sharedPair();

const TYPE = 'EXPORT_WALLET_ACCOUNT';
const KEY = 'exportWalletAccountResult';
const MISSING: [number, string, RegExp] = [404, 'UNSPECIFIED', /wallet account not found/];
const solana = (path: string) => ({
  curve: 'CURVE_ED25519',
  pathFormat: 'PATH_FORMAT_BIP32',
  path,
  addressFormat: 'ADDRESS_FORMAT_SOLANA',
});

async function exported(address: string, keyFormat?: 'HEXADECIMAL' | 'SOLANA'): Promise<string> {
  const target = newTarget();
  const parameters = { address, targetPublicKey: target.publicKeyUncompressed };
  const { exportBundle } = resultOf(await instance.root.submit(TYPE, parameters), KEY);
  return exportedKey(instance.root, exportBundle, target, keyFormat);
}

test('the account’s very key: it has the address, signs the same, and comes from the wallet’s mnemonic', async () => {
  const { root } = instance;
  const { walletId, addresses } = await newWallet(root, 2);
  const target = newTarget();
  const parameters = { address: addresses[1], targetPublicKey: target.publicKeyUncompressed };
  const result = resultOf(await root.submit(TYPE, parameters), KEY);
  assert.deepEqual([Object.keys(result), result.address], [['address', 'exportBundle'], addresses[1]]);
  const key = await exportedKey(root, result.exportBundle, target);
  assert.match(key, /^[0-9a-f]{64}$/);
  assert.equal(ethers.computeAddress(`0x${key}`), addresses[1]);
  const digest = 'cd'.repeat(32);
  const toSign = { ...signing(addresses[1]!, digest), hashFunction: 'HASH_FUNCTION_NO_OP' };
  const signed = resultOf(await root.submit('SIGN_RAW_PAYLOAD_V2', toSign), 'signRawPayloadResult');
  const own = new ethers.SigningKey(`0x${key}`).sign(`0x${digest}`);
  assert.deepEqual([`0x${signed.r}`, `0x${signed.s}`, Number(signed.v)], [own.r, own.s, own.yParity]);
  const hd = mnemonicToAccount(await mnemonicOf(root, walletId), { addressIndex: 1 }).getHdKey();
  assert.equal(Buffer.from(hd.privateKey!).toString('hex'), key);
});

test('a Solana account’s key opens as its wallets take it, with the public half behind it', async () => {
  const accounts = [solana("m/44'/501'/0'/0'"), solana("m/44'/501'/1'/0'")];
  const made = await instance.root.submit('CREATE_WALLET', { walletName: 'Solana', accounts });
  const { addresses } = resultOf(made, 'createWalletResult');
  for (const address of addresses) {
    const text = await exported(address, 'SOLANA');
    const pair = Keypair.fromSecretKey(base58.decode(text));
    assert.equal(pair.publicKey.toBase58(), address);
    assert.equal(await exported(address), Buffer.from(pair.secretKey.subarray(0, 32)).toString('hex'));
  }
});

test('any form of the address; the wallet itself is not marked', async () => {
  const { walletId, addresses } = await newWallet(instance.root);
  const key = await exported(addresses[0]!);
  assert.equal(await exported(addresses[0]!.toLowerCase()), key);
  const { wallet } = (await instance.root.query('get_wallet', { walletId })).body;
  assert.equal(wallet.exported, false);
});

test('an unknown address, a private key’s, an id, and an address of another organization', async () => {
  const { addresses: theirs } = resultOf(
    await agreed(pair, 'CREATE_WALLET', { walletName: 'Theirs', accounts: [ethereumAccount()] }),
    'createWalletResult',
  );
  const key = await newPrivateKey(instance.root, 'Alone');
  const { walletId } = await newWallet(instance.root);
  const { accounts } = (await instance.root.query('list_wallet_accounts', { walletId })).body;
  const targetPublicKey = newTarget().publicKeyUncompressed;
  const others = [theirs[0], key.addresses[0]!.address, key.privateKeyId, walletId, accounts[0].walletAccountId, 'nothing'];
  for (const address of others) refused(await instance.root.submit(TYPE, { address, targetPublicKey }), MISSING);
});

test('bad parameters are named', async () => {
  const [address] = (await newWallet(instance.root)).addresses;
  const targetPublicKey = newTarget().publicKeyUncompressed;
  const at = 'parameters.targetPublicKey';
  await refusesEach(instance.root, TYPE, [
    [{ address: '', targetPublicKey }, 'parameters.address', /./],
    [{ address: 'x'.repeat(257), targetPublicKey }, 'parameters.address', /256/],
    [{ address, targetPublicKey: 'zz' }, at, /P-256 public key in hex/],
    [{ address, targetPublicKey: `02${'ff'.repeat(32)}` }, at, /P-256 public key/],
  ]);
});

test('policies see the account, its path, its wallet and the target', async () => {
  const { client, userId } = await instance.newUser('Paths');
  const { walletId, addresses } = await newWallet(instance.root, 3);
  const target = newTarget();
  await newPolicy(instance.root, {
    condition: [
      "activity.type == 'ACTIVITY_TYPE_EXPORT_WALLET_ACCOUNT'",
      `activity.params.target_public_key == '${target.publicKeyUncompressed}'`,
      `wallet.id == '${walletId}'`,
      `wallet_account.address != '${addresses[0]}'`,
      'wallet_account.path_indexes[4] < 2',
      'wallet_account.path_hardened[0] && !wallet_account.path_hardened[4]',
    ].join(' && '),
    consensus: approvedBy(userId),
  });
  const by = (address: string, to = target) => client.submit(TYPE, { address, targetPublicKey: to.publicKeyUncompressed });
  denied(await by(addresses[0]!));
  denied(await by(addresses[2]!));
  denied(await by(addresses[1]!, newTarget()));
  denied(await by((await newWallet(instance.root, 2)).addresses[1]!));
  resultOf(await by(addresses[1]!), KEY);
  resultOf(await by(addresses[1]!.toLowerCase()), KEY);
});

test('only the export shows policies how the key is made: elsewhere an ALLOW on it fails, and a DENY on it denies', async () => {
  const { root } = instance;
  const { client, userId } = await instance.newUser('Makers');
  const accounts = [ethereumAccount(3), solana("m/44'/501'/9'"), solana('m/44/501/10')];
  const made = resultOf(await root.submit('CREATE_WALLET', { walletName: 'Made', accounts }), 'createWalletResult');
  const [ethereum, marked, unmarked] = made.addresses as [string, string, string];
  const consensus = approvedBy(userId);
  const isMade = (curve: string, format: string, path: string) =>
    `(wallet_account.curve == '${curve}' && wallet_account.address_format == '${format}' && wallet_account.path == "${path}")`;
  const either = [
    isMade('CURVE_SECP256K1', 'ADDRESS_FORMAT_ETHEREUM', "m/44'/60'/0'/0/3"),
    // As it is derived, whatever the account's own text says.
    isMade('CURVE_ED25519', 'ADDRESS_FORMAT_SOLANA', "m/44'/501'/10'"),
  ].join(' || ');
  await newPolicy(root, { condition: `wallet_account.wallet_id == '${made.walletId}' && (${either})`, consensus });
  const exporting = async (address: string) =>
    client.submit(TYPE, { address, targetPublicKey: newTarget().publicKeyUncompressed });
  resultOf(await exporting(ethereum), KEY);
  resultOf(await exporting(unmarked), KEY);
  denied(await exporting(marked));
  const sign = () => client.submit('SIGN_RAW_PAYLOAD_V2', signing(ethereum));
  denied(await sign());

  await newPolicy(root, { condition: `activity.action == 'SIGN' && wallet.id == '${made.walletId}'`, consensus });
  resultOf(await sign(), 'signRawPayloadResult');
  const other = "wallet_account.path == 'm/0'";
  const effect = 'EFFECT_DENY';
  const pinned = { effect, condition: `activity.kind == 'EXPORT_WALLET_ACCOUNT' && ${other}`, consensus } as const;
  await newPolicy(root, pinned);
  resultOf(await sign(), 'signRawPayloadResult');
  await newPolicy(root, { ...pinned, condition: other });
  denied(await sign());
  resultOf(await exporting(ethereum), KEY);
});

test('on Ed25519 every segment is hardened for policies too, as it is derived', async () => {
  const { client, userId } = await instance.newUser('Marks');
  const accounts = ["m/44'/501'/7'", 'm/44/501/8'].map((path) => ({
    curve: 'CURVE_ED25519',
    pathFormat: 'PATH_FORMAT_BIP32',
    path,
    addressFormat: 'ADDRESS_FORMAT_SOLANA',
  }));
  const made = await instance.root.submit('CREATE_WALLET', { walletName: 'Marks', accounts });
  const condition = "activity.action == 'EXPORT' && wallet_account.path_hardened.all(h, h)";
  await newPolicy(instance.root, { condition, consensus: approvedBy(userId) });
  for (const address of resultOf(made, 'createWalletResult').addresses)
    resultOf(await client.submit(TYPE, { address, targetPublicKey: newTarget().publicKeyUncompressed }), KEY);
});
