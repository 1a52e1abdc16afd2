import assert from 'node:assert/strict';
import { pbkdf2Sync } from 'node:crypto';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { entropyToMnemonic } from '@scure/bip39';
import { recoverAddress } from 'viem';
import { HDKey, hdKeyToAccount, mnemonicToAccount } from 'viem/accounts';
import { approvedBy, denied, newPolicy, newWallet, signing } from '../../e2e/authority.ts';
import { type Answer, ethereumAccount, resultOf } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { newTarget } from '../../support/published.ts';
import { refused, refusesEach } from '../../support/refusals.ts';
import { type Importer, initWalletImport, mnemonicOf, sealKey, sealMnemonic } from '../custody.ts';
import { count, refusedToNobody } from '../support.ts';

const instance = await sharedInstance();
const root: Importer = { client: instance.root, userId: instance.credentials.userId };

const TYPE = 'IMPORT_WALLET';
const KEY = 'importWalletResult';
const WORDS = `${'abandon '.repeat(11)}about`;
const ADDRESS = '0x9858EfFD232B4033E47d90003D41EC34EcaEda94';
const AT = 'parameters.encryptedBundle';

let made = 0;
const parametersOf = ({ userId }: Importer, encryptedBundle: string, accounts: object[] = [ethereumAccount()]) => ({
  userId,
  walletName: `imported ${++made}`,
  encryptedBundle,
  accounts,
});
const bring = (who: Importer, encryptedBundle: string, accounts?: object[]): Promise<Answer> =>
  who.client.submit(TYPE, parametersOf(who, encryptedBundle, accounts));

/** What a client does: asks for a key, seals to it, sends that. */
const importText = async (text: string, accounts?: object[]) =>
  resultOf(await bring(root, await sealMnemonic(root, await initWalletImport(root), text), accounts), KEY);

test('the mnemonic’s well-known addresses, which sign; it is marked, and exports to the same words', async () => {
  const { client } = root;
  const btc = { ...ethereumAccount(), addressFormat: 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2WPKH', path: "m/84'/0'/0'/0/0" };
  const tap = { ...btc, addressFormat: 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2TR', path: "m/86'/0'/0'/0/0" };
  const sol = { ...btc, curve: 'CURVE_ED25519', addressFormat: 'ADDRESS_FORMAT_SOLANA', path: "m/44'/501'/0'/0'" };
  const answer = await bring(root, await sealMnemonic(root, await initWalletImport(root), WORDS), [
    ethereumAccount(),
    btc,
    tap,
    sol,
  ]);
  const { walletId, addresses, ...others } = resultOf(answer, KEY);
  assert.deepEqual(others, {});
  assert.deepEqual(addresses, [
    ADDRESS,
    'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu',
    'bc1p5cyxnuxmeuwuvkwfem96lqzszd02n6xdcjrs20cac6yqjjwudpxqkedrcr',
    'HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk',
  ]);
  const digest = 'ab'.repeat(32);
  const toSign = { ...signing(ADDRESS, digest), hashFunction: 'HASH_FUNCTION_NO_OP' };
  const { r, s, v } = resultOf(await client.submit('SIGN_RAW_PAYLOAD_V2', toSign), 'signRawPayloadResult');
  const signature = { r: `0x${r}`, s: `0x${s}`, yParity: Number(v) } as const;
  assert.equal(await recoverAddress({ hash: `0x${digest}`, signature }), ADDRESS);
  const more = await client.submit('CREATE_WALLET_ACCOUNTS', { walletId, accounts: [ethereumAccount(5)] });
  const wanted = mnemonicToAccount(WORDS, { addressIndex: 5 }).address;
  assert.deepEqual(resultOf(more, 'createWalletAccountsResult').addresses, [wanted]);
  const shown = async () => (await client.query('get_wallet', { walletId })).body.wallet;
  assert.deepEqual([(await shown()).imported, (await shown()).exported], [true, false]);
  const stored = await client.query('get_activity', { activityId: answer.body.activity.id });
  for (const text of [answer.text, stored.text, (await client.query('list_activities')).text])
    for (const form of ['utf8', 'hex', 'base64'] as const) assert.ok(!text.includes(Buffer.from(WORDS).toString(form)));
  assert.equal(await mnemonicOf(client, walletId), WORDS);
  assert.deepEqual([(await shown()).imported, (await shown()).exported], [true, true]);
});

test('a passphrase, which later accounts are derived with and the export carries', async () => {
  const cases = [
    ['TREZOR', 'TREZOR'],
    [' two  words ', ' two  words '],
    ['Grüße ﬁ', 'Grüße ﬁ'],
    ['of an editor\n', 'of an editor'],
    ['', ''],
  ] as const;
  for (const [given, passphrase] of cases) {
    const { walletId, addresses } = await importText(`${WORDS}\n--PASS--\n${given}`);
    assert.deepEqual(addresses, [mnemonicToAccount(WORDS, { passphrase }).address], given);
    const more = await instance.root.submit('CREATE_WALLET_ACCOUNTS', { walletId, accounts: [ethereumAccount(1)] });
    const wanted = mnemonicToAccount(WORDS, { passphrase, addressIndex: 1 }).address;
    assert.deepEqual(resultOf(more, 'createWalletAccountsResult').addresses, [wanted]);
    assert.equal(await mnemonicOf(instance.root, walletId), passphrase === '' ? WORDS : `${WORDS}\n${passphrase}`);
  }
});

test('each of the nine languages and every length, as people type them', async () => {
  const chinese = ['simplified-chinese', 'traditional-chinese'];
  const languages = ['english', 'czech', 'french', 'italian', 'japanese', 'korean', 'spanish', ...chinese];
  const require = createRequire(import.meta.url);
  for (const [i, language] of languages.entries()) {
    const { wordlist } = require(`@scure/bip39/wordlists/${language}.js`) as { wordlist: string[] };
    const entropy = Uint8Array.from({ length: 16 + 4 * (i % 5) }, (_, at) => (31 * at + 97 * i) % 256);
    const words = entropyToMnemonic(entropy, wordlist).normalize('NFKD').split(' ');
    const { walletId, addresses } = await importText(`  ${words.join(i % 2 ? '\u3000' : ' \t ').normalize('NFC')}\r\n`);
    const seed = pbkdf2Sync(words.join(' '), 'mnemonic', 2048, 64, 'sha512');
    assert.deepEqual(addresses, [hdKeyToAccount(HDKey.fromMasterSeed(seed)).address], language);
    assert.equal(await mnemonicOf(instance.root, walletId), words.join(' '), language);
  }
});

test('what holds no mnemonic is refused, and the key is left for another attempt', async () => {
  const importBundle = await initWalletImport(root);
  const others = [
    '',
    'abandon about',
    'abandon '.repeat(12),
    WORDS.replace('about', 'abandonn'),
    WORDS.toUpperCase(),
    `${'abandon '.repeat(10)}ábaco about`,
    `${WORDS} ${WORDS}`,
    `${WORDS}\n--PASS--\na\nb`,
    `${WORDS}\n--PASS--\n${'x'.repeat(1025)}`,
  ];
  const sealed = others.map((text) => sealMnemonic(root, importBundle, text));
  for (const bundle of [...sealed, sealKey(root, importBundle, 'ff'.repeat(32))])
    refused(
      await bring(root, await bundle),
      [400, 'REQUEST_INVALID', /invalid mnemonic: it must be 12, 15, 18, 21 or 24 words/],
      AT,
    );
  resultOf(await bring(root, await sealMnemonic(root, importBundle, WORDS)), KEY);
});

test('a name that is taken, and a wrong path, leave nothing but the key for another attempt', async () => {
  const { client } = root;
  const accounts = [{ ...ethereumAccount(), name: 'Taken' }];
  resultOf(await client.submit('CREATE_WALLET', { walletName: 'Taken', accounts }), 'createWalletResult');
  const before = await count(client, 'list_wallets', 'wallets');
  const sealed = await sealMnemonic(root, await initWalletImport(root), WORDS);
  const parameters = parametersOf(root, sealed);
  const wrong = { ...ethereumAccount(), path: 'x' };
  for (const [more, field, text] of [
    [{ walletName: 'Taken' }, 'parameters.walletName', /wallet label must be unique/],
    [{ accounts: [ethereumAccount(1), ...accounts] }, 'parameters.accounts[1].name', /name must be unique/],
    [{ accounts: [wrong] }, 'parameters.accounts[0].path', /invalid path/],
  ] as const)
    refused(await client.submit(TYPE, { ...parameters, ...more }), [400, 'REQUEST_INVALID', text], field);
  assert.equal(await count(client, 'list_wallets', 'wallets'), before);
  resultOf(await client.submit(TYPE, parameters), KEY);
});

test('a user without permission is refused, until a policy allows it', async () => {
  const { client, userId } = await instance.newUser('Imports');
  const own = { client, userId };
  const consensus = approvedBy(userId);
  await refusedToNobody(instance, TYPE, parametersOf(own, '{}'));
  denied(await bring(own, '{}'));
  await newPolicy(instance.root, { condition: "activity.resource == 'WALLET' && activity.action == 'IMPORT'", consensus });
  resultOf(await bring(own, await sealMnemonic(own, await initWalletImport(own), WORDS)), KEY);
});

test('policies see that a wallet was imported', async () => {
  const { client, userId } = await instance.newUser('Exports');
  const condition = "activity.action == 'EXPORT' && !wallet.imported";
  await newPolicy(instance.root, { condition, consensus: approvedBy(userId) });
  const targetPublicKey = newTarget().publicKeyUncompressed;
  const { walletId } = await importText(WORDS);
  denied(await client.submit('EXPORT_WALLET', { walletId, targetPublicKey }));
  const created = await newWallet(instance.root);
  resultOf(await client.submit('EXPORT_WALLET', { walletId: created.walletId, targetPublicKey }), 'exportWalletResult');
});

test('bad parameters are named', async () => {
  const good = { userId: root.userId, walletName: 'Bad', encryptedBundle: '{}', accounts: [] };
  await refusesEach(instance.root, TYPE, [
    [{ ...good, encryptedBundle: '' }, AT, /JSON text that the client sealed/],
    [{ ...good, encryptedBundle: 'x'.repeat(16_385) }, AT, /16384/],
  ]);
});
