import assert from 'node:assert/strict';
import { test } from 'node:test';
import { approvedBy, denied, newPolicy, waitingIn } from '../e2e/authority.ts';
import { type Answer, type Client, ethereumAccount, resultOf, submitPath } from '../support/client.ts';
import { newTarget } from '../support/published.ts';
import { refused } from '../support/refusals.ts';
import { type Importer, sealKey, sealMnemonic } from './custody.ts';
import { agreed, count, sharedPair } from './support.ts';

/** The life of the key that an import is sealed to: the same for wallets and for private keys. */

const { instance, pair } = await sharedPair();
const root: Importer = { client: instance.root, userId: instance.credentials.userId };

const AT = 'parameters.encryptedBundle';
const NOT_SEALED: [number, string, RegExp] = [400, 'REQUEST_INVALID', /is not sealed to the key of this import/];
const FOR_ONESELF: [number, string, RegExp] = [403, 'REQUEST_NOT_AUTHORIZED', /userId must be the submitting user/];

let made = 0;
const wallets = {
  what: 'WALLET',
  key: 'ImportWalletResult',
  seal: (who: Importer, importBundle: string) => sealMnemonic(who, importBundle, `${'abandon '.repeat(11)}about`),
  rest: () => ({ walletName: `imported ${++made}`, accounts: [ethereumAccount()] }),
  count: (client: Client) => count(client, 'list_wallets', 'wallets'),
};
const privateKeys = {
  what: 'PRIVATE_KEY',
  key: 'ImportPrivateKeyResult',
  seal: (who: Importer, importBundle: string) => sealKey(who, importBundle, '11'.repeat(32)),
  rest: () => ({ privateKeyName: `imported ${++made}`, curve: 'CURVE_SECP256K1', addressFormats: [] }),
  count: (client: Client) => count(client, 'list_private_keys', 'privateKeys'),
};

for (const [kind, other] of [
  [wallets, privateKeys],
  [privateKeys, wallets],
] as const) {
  const [TYPE, INIT, KEY] = [`IMPORT_${kind.what}`, `INIT_IMPORT_${kind.what}`, `i${kind.key.slice(1)}`];
  const NO_TARGET: [number, string, RegExp] = [400, 'REQUEST_INVALID', new RegExp(`no import to complete: submit ${INIT} `)];
  const parametersOf = ({ userId }: Importer, encryptedBundle: string) => ({ userId, encryptedBundle, ...kind.rest() });
  const bring = (who: Importer, encryptedBundle: string) => who.client.submit(TYPE, parametersOf(who, encryptedBundle));
  const bundleIn = (answer: Answer, what = kind): string => resultOf(answer, `init${what.key}`).importBundle;
  const begin = async ({ client, userId }: Importer, what = kind): Promise<string> =>
    bundleIn(await client.submit(`INIT_IMPORT_${what.what}`, { userId }), what);
  const sealed = async (who: Importer) => kind.seal(who, await begin(who));

  async function newImporter(condition: string): Promise<Importer> {
    const { client, userId } = await instance.newUser('Imports');
    await newPolicy(instance.root, { condition, consensus: approvedBy(userId) });
    return { client, userId };
  }

  test(`${TYPE}: only after ${INIT}, and once`, async () => {
    const who = await newImporter(`activity.resource == '${kind.what}' && activity.action == 'IMPORT'`);
    refused(await bring(who, '{}'), NO_TARGET, AT);
    const importBundle = await begin(who);
    const [bundle, another] = [await kind.seal(who, importBundle), await kind.seal(who, importBundle)];
    const body = who.client.bodyOf(TYPE, parametersOf(who, bundle));
    const done = await who.client.send(submitPath(TYPE), body);
    resultOf(done, KEY);
    for (const text of [bundle, another]) refused(await bring(who, text), NO_TARGET, AT);
    assert.deepEqual((await who.client.send(submitPath(TYPE), body)).body, done.body, 'the same body is the same activity');
  });

  test(`${TYPE}: what fails leaves the key for another attempt`, async () => {
    const good = await sealed(root);
    const { encappedPublic, ciphertext } = JSON.parse(good);
    const theirs = await newImporter(`activity.type == 'ACTIVITY_TYPE_${INIT}'`);
    const elsewhere = { client: pair.clients[0], userId: pair.userIds[0] };
    const there = bundleIn(await agreed(pair, INIT, { userId: elsewhere.userId }));
    for (const bundle of [
      await sealed(theirs),
      await kind.seal(elsewhere, there),
      await kind.seal(root, await begin(root, other)),
      JSON.stringify({ encappedPublic, ciphertext: ciphertext.replace(/^../, (a: string) => (a === '00' ? '01' : '00')) }),
      JSON.stringify({ encappedPublic: newTarget().publicKeyUncompressed, ciphertext }),
    ])
      refused(await bring(root, bundle), NOT_SEALED, AT);
    for (const [bundle, text] of [
      ['x', /JSON/],
      ['[]', /is not a JSON object/],
      ['{}', /encappedPublic is not a string/],
      [JSON.stringify({ encappedPublic }), /ciphertext is not a string/],
      [JSON.stringify({ encappedPublic, ciphertext: 'ab' }), /ciphertext is not hex of at least 16 bytes/],
      [JSON.stringify({ encappedPublic: '04', ciphertext }), /encappedPublic is not a P-256 public key in hex/],
      [JSON.stringify({ encappedPublic, data: ciphertext }), /has fields other than encappedPublic and ciphertext/],
      [`{"ciphertext":"","ciphertext":"${ciphertext}"}`, /names a field twice/],
    ] as const)
      refused(await bring(root, bundle), [400, 'REQUEST_INVALID', text], AT);
    const before = await kind.count(instance.root);
    resultOf(await bring(root, good), KEY);
    assert.equal(await kind.count(instance.root), before + 1);
  });

  test(`${TYPE}: a new key takes the place of the one before; one of the other kind does not`, async () => {
    const [old, fresh] = [await sealed(root), await sealed(root)];
    const others = await other.seal(root, await begin(root, other));
    refused(await bring(root, old), NOT_SEALED, AT);
    resultOf(await bring(root, fresh), KEY);
    const parameters = { userId: root.userId, encryptedBundle: others, ...other.rest() };
    resultOf(await instance.root.submit(`IMPORT_${other.what}`, parameters), `i${other.key.slice(1)}`);
  });

  test(`${TYPE}: of several at the same instant, one uses the key`, async () => {
    for (let round = 0; round < 3; round++) {
      const bundle = await sealed(root);
      const before = await kind.count(instance.root);
      const answers = await Promise.all(Array.from({ length: 6 }, () => bring(root, bundle)));
      assert.equal(answers.filter((answer) => answer.status === 200).length, 1, answers.map((a) => a.text).join('\n'));
      for (const answer of answers) if (answer.status !== 200) refused(answer, NO_TARGET, AT);
      assert.equal(await kind.count(instance.root), before + 1);
    }
  });

  test(`${TYPE}: for nobody but oneself, and only as far as policies go`, async () => {
    const who = await newImporter(`activity.type == 'ACTIVITY_TYPE_${INIT}'`);
    const bundle = await sealed(who);
    denied(await bring(who, bundle), /No policies evaluated to outcome: Allow/);
    refused(await instance.root.submit(TYPE, parametersOf(who, bundle)), FOR_ONESELF);
    refused(await who.client.submit(TYPE, parametersOf(root, bundle)), FOR_ONESELF);
    const consensus = approvedBy(who.userId);
    await newPolicy(instance.root, { condition: `activity.type == 'ACTIVITY_TYPE_${TYPE}'`, consensus });
    refused(await instance.root.submit(TYPE, parametersOf(who, bundle)), FOR_ONESELF);
    resultOf(await bring(who, bundle), KEY);
  });

  test(`${TYPE}: what waits for a second root user needs the key that is in force then`, async () => {
    const [client, second] = pair.clients;
    const who = { client, userId: pair.userIds[0] };
    const next = async () => kind.seal(who, bundleIn(await agreed(pair, INIT, { userId: who.userId })));
    const body = client.bodyOf(TYPE, parametersOf(who, await next()));
    waitingIn(await client.send(submitPath(TYPE), body));
    const fresh = await next();
    refused(await second.submit(TYPE, parametersOf(who, fresh)), FOR_ONESELF);
    const { activity } = (await second.send(submitPath(TYPE), body)).body;
    assert.equal(activity.status, 'ACTIVITY_STATUS_FAILED');
    assert.match(activity.failure.message, NOT_SEALED[2]);
    resultOf(await agreed(pair, TYPE, parametersOf(who, fresh)), KEY);
  });
}
