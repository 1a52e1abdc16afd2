import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { listSuborgs } from '../../../src/queries/organizations/list-suborgs.ts';
import { SoftAuthenticator } from '../../support/authenticator.ts';
import { apiKey, ethereumAccount, type Keys, newKeys, resultOf, userWith } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { refusesEachQuery } from '../../support/refusals.ts';
import { badPagination, pages } from '../support.ts';

type Sub = { id: string; keys: Keys; addresses: string[] };

const instance = await sharedInstance();
/** In the order of their creation. */
const subs: Sub[] = [];

const list = async (parameters: object = {}): Promise<string[]> => {
  const answer = await instance.root.query('list_suborgs', parameters);
  assert.equal(answer.status, 200, answer.text);
  assert.deepEqual(listSuborgs.result.parse(answer.body), answer.body);
  return answer.body.organizationIds;
};

before(async () => {
  for (let i = 0; i < 12; i++) {
    const keys = newKeys();
    const accounts = [
      ethereumAccount(),
      { ...ethereumAccount(1), addressFormat: 'ADDRESS_FORMAT_COMPRESSED' },
      { ...ethereumAccount(2), curve: 'CURVE_ED25519', addressFormat: 'ADDRESS_FORMAT_SOLANA' },
    ];
    const contact = { userEmail: `User${i % 2}@Example.com`, userPhoneNumber: `+1415555010${i % 2}` };
    const made = resultOf(
      await instance.root.submit('CREATE_SUB_ORGANIZATION_V8', {
        subOrganizationName: i % 2 ? 'Odd' : `Even ${i}`,
        rootQuorumThreshold: 1,
        // Two users have the same name and email: the sub-organization is still listed once.
        rootUsers: [userWith(`name ${i % 2}`, [keys], contact), userWith(`name ${i % 2}`, [newKeys()], contact)],
        wallet: { walletName: 'W', accounts },
      }),
      'createSubOrganizationResultV8',
    );
    subs.push({ id: made.subOrganizationId, keys, addresses: made.wallet.addresses });
  }
});

const ids = (wanted: readonly Sub[]) => wanted.map((sub) => sub.id);
const odd = () => ids(subs.filter((_, i) => i % 2 === 1));
const by = (filterType: string, filterValue: string) => list({ filterType, filterValue, paginationOptions: { limit: '100' } });

test('in the order of their creation, ten unless asked otherwise', async () => {
  assert.deepEqual(await list(), ids(subs).slice(0, 10));
  assert.deepEqual(await list({ paginationOptions: { limit: '100' } }), ids(subs));
});

test('pages by key in both directions, with every filter', async () => {
  await pages(ids(subs), (paginationOptions) => list({ paginationOptions }));
  for (const [filterType, filterValue] of [
    ['NAME', 'Odd'],
    ['USERNAME', 'name 1'],
    ['EMAIL', 'user1@example.com'],
    ['PHONE_NUMBER', '+14155550101'],
  ])
    await pages(odd(), (paginationOptions) => list({ filterType, filterValue, paginationOptions }));
});

test('each filter', async () => {
  assert.deepEqual(await by('NAME', 'Even 4'), [subs[4]!.id]);
  assert.deepEqual(await by('NAME', 'even 4'), [], 'names are told apart by case');
  assert.deepEqual(await by('USERNAME', 'name 1'), odd());
  assert.deepEqual(await by('EMAIL', 'USER1@example.COM'), odd(), 'emails are not');
  assert.deepEqual(await by('PHONE_NUMBER', '+14155550101'), odd());
  const { keys, addresses, id } = subs[7]!;
  for (const key of [keys.publicKey, keys.publicKey.toUpperCase()]) assert.deepEqual(await by('PUBLIC_KEY', key), [id]);
  const [ethereum, compressed, solana] = addresses as [string, string, string];
  for (const address of [ethereum, ethereum.toLowerCase(), compressed, solana])
    assert.deepEqual(await by('WALLET_ACCOUNT_ADDRESS', address), [id], address);
  assert.deepEqual(await by('WALLET_ACCOUNT_ADDRESS', solana.toLowerCase()), []);
  for (const filterType of ['NAME', 'USERNAME', 'EMAIL', 'PHONE_NUMBER', 'CREDENTIAL_ID', 'PUBLIC_KEY', 'WALLET_ACCOUNT_ADDRESS'])
    for (const value of ['', 'nothing', "' OR 1=1 --", '%']) assert.deepEqual(await by(filterType, value), []);
});

test('by the credential id of a passkey, however its bytes are written', async () => {
  // Its base64 and its base64url differ.
  const passkey = new SoftAuthenticator('ES256', Buffer.from('fbefbefffffffefbefbefffffffe0102', 'hex'));
  const made = await instance.root.submit('CREATE_SUB_ORGANIZATION', { name: 'Passkey', rootAuthenticator: passkey.register() });
  const { subOrganizationId } = resultOf(made, 'createSubOrganizationResult');
  const base64 = passkey.credentialId.toString('base64');
  assert.notEqual(base64, passkey.id);
  for (const value of [passkey.id, base64, base64.replace(/=+$/, '')])
    assert.deepEqual(await by('CREDENTIAL_ID', value), [subOrganizationId], value);
  for (const value of ['', 'nothing', '%', `${passkey.id}AA`]) assert.deepEqual(await by('CREDENTIAL_ID', value), []);
});

test('what the organization itself holds does not count', async () => {
  assert.deepEqual(await by('PUBLIC_KEY', instance.root.keys.publicKey), []);
  const made = await instance.root.submit('CREATE_WALLET', { walletName: 'Own', accounts: [ethereumAccount()] });
  const { addresses } = resultOf(made, 'createWalletResult');
  assert.deepEqual(await by('WALLET_ACCOUNT_ADDRESS', addresses[0]), []);
  await instance.newUser('Only here');
  assert.deepEqual(await by('USERNAME', 'Only here'), []);
});

test('what comes later is found, and what goes is not', async () => {
  const inside = instance.root.as(subs[0]!.keys, subs[0]!.id);
  const { userId } = (await inside.query('whoami')).body;
  const more = newKeys();
  const added = await inside.submit('CREATE_API_KEYS_V2', { userId, apiKeys: [apiKey(more)] });
  const apiKeyIds = resultOf(added, 'createApiKeysResult').apiKeyIds;
  assert.deepEqual(await by('PUBLIC_KEY', more.publicKey), [subs[0]!.id]);
  resultOf(await inside.submit('DELETE_API_KEYS', { userId, apiKeyIds }), 'deleteApiKeysResult');
  assert.deepEqual(await by('PUBLIC_KEY', more.publicKey), []);
});

test('a sub-organization has none', async () => {
  const inside = instance.root.as(subs[0]!.keys, subs[0]!.id);
  for (const filter of [{}, { filterType: '', filterValue: '' }, { filterType: 'NAME', filterValue: 'Odd' }])
    assert.deepEqual((await inside.query('list_suborgs', filter)).body, { organizationIds: [] });
});

test('bad parameters are named', () =>
  refusesEachQuery(instance.root, 'list_suborgs', [
    ...badPagination,
    [{ filterType: 'NAME' }, 'filterValue', /is required with filterType/],
    [{ filterValue: 'x' }, 'filterType', /is required with filterValue/],
    [{ filterType: '', filterValue: 'x' }, 'filterType', /is required with filterValue/],
    [{ filterType: 'NAME', filterValue: 'x'.repeat(1025) }, 'filterValue', /1024/],
  ]));
