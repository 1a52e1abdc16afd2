/**
 * Makes a database with each kind of row by the program of another checkout, and writes its rows and what that program answered:
 * `node tests/store/older/make.ts CHECKOUT FILE`. `version-4.json` is by commit dd0fd37. Its keys are used nowhere else.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import {
  type Answer,
  apiKey,
  type Client,
  clientOf,
  ethereumAccount,
  type Keys,
  newKeys,
  userWith,
} from '../../support/client.ts';
import { freePort } from '../../support/process.ts';

const [checkout, output] = process.argv.slice(2) as [string, string];
const dataDir = mkdtempSync(join(tmpdir(), 'countersign-older-'));
const port = await freePort();
const url = `http://127.0.0.1:${port}`;
const env = { ...process.env, DATA_DIR: dataDir, PORT: String(port), LOG_LEVEL: 'warn' };
const child = spawn(process.execPath, [join(checkout, 'src/main.ts')], { env, stdio: 'inherit' });
process.once('exit', () => child.kill('SIGKILL'));
while ((await fetch(`${url}/ready`).catch(() => undefined))?.status !== 200) await new Promise((r) => setTimeout(r, 50));

const credentials = JSON.parse(readFileSync(join(dataDir, 'root-credentials.json'), 'utf8'));
const rootKeys: Keys = { publicKey: credentials.apiPublicKey, privateKey: credentials.apiPrivateKey };
const root = clientOf(url, rootKeys, credentials.organizationId);

const activityIn = ({ status, text, body }: Answer, wanted: string) => {
  const found = body?.activity?.status?.replace('ACTIVITY_STATUS_', '');
  if (found !== wanted) throw new Error(`${wanted} wanted: ${status} ${text}`);
  return body.activity;
};
// biome-ignore lint/suspicious/noExplicitAny: results are looked into freely
async function done(client: Client, type: string, parameters: object): Promise<any> {
  const { result } = activityIn(await client.submit(type, parameters), 'COMPLETED');
  return Object.values(result).find((one) => typeof one === 'object');
}
const waits = async (client: Client, type: string, parameters: object) =>
  activityIn(await client.submit(type, parameters), 'CONSENSUS_NEEDED');
const vote = (client: Client, how: 'APPROVE' | 'REJECT', { fingerprint }: { fingerprint: string }) =>
  client.submit(`${how}_ACTIVITY`, { fingerprint });

const sign = (signWith: string, payload: string) => ({
  signWith,
  payload,
  encoding: 'PAYLOAD_ENCODING_HEXADECIMAL',
  hashFunction: 'HASH_FUNCTION_SHA256',
});
const TARGET =
  '046b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c2964fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5';
const solana = {
  curve: 'CURVE_ED25519',
  pathFormat: 'PATH_FORMAT_BIP32',
  path: "m/44'/501'/0'/0'",
  addressFormat: 'ADDRESS_FORMAT_SOLANA',
};

// A sub-organization of three, two of whom must agree.
const three = [newKeys(), newKeys(), newKeys()];
const rootUsers = three.map((k, i) => userWith(`User ${i}`, [k], { userEmail: `User${i}@Example.com` }));
const made = await done(root, 'CREATE_SUB_ORGANIZATION_V8', { subOrganizationName: 'Sub', rootQuorumThreshold: 2, rootUsers });
const [first, second, third] = three.map((k) => root.as(k, made.subOrganizationId)) as [Client, Client, Client];
const agreed = async (type: string, parameters: object) => {
  const activity = await waits(first, type, parameters);
  const answer = await vote(second, 'APPROVE', activity);
  if (answer.status !== 200) throw new Error(answer.text);
};
await agreed('CREATE_WALLET', { walletName: 'Of two', accounts: [ethereumAccount()] });
activityIn(
  await vote(second, 'REJECT', await waits(first, 'CREATE_WALLET', { walletName: 'Rejected', accounts: [] })),
  'REJECTED',
);
await vote(third, 'REJECT', await waits(first, 'CREATE_WALLET', { walletName: 'Waits', accounts: [] }));
await waits(third, 'CREATE_WALLET', { walletName: 'Waits too', accounts: [ethereumAccount()] });

// Everything else in the root organization, whose only root user may do it alone.
const wallet = await done(root, 'CREATE_WALLET', { walletName: 'Main', accounts: [ethereumAccount(), solana] });
const [address, onSolana] = wallet.addresses as string[];
await done(root, 'CREATE_WALLET_ACCOUNTS', { walletId: wallet.walletId, accounts: [ethereumAccount(1)] });
const spare = await done(root, 'CREATE_WALLET', { walletName: 'Spare', accounts: [ethereumAccount()] });
await done(root, 'EXPORT_WALLET', { walletId: spare.walletId, targetPublicKey: TARGET });
await done(root, 'EXPORT_WALLET_ACCOUNT', { address, targetPublicKey: TARGET });
const keysMade = await done(root, 'CREATE_PRIVATE_KEYS_V2', {
  privateKeys: ['CURVE_SECP256K1', 'CURVE_ED25519', 'CURVE_P256'].map((curve) => ({
    ...{
      privateKeyName: curve,
      curve,
      privateKeyTags: [],
      addressFormats: curve === 'CURVE_SECP256K1' ? ['ADDRESS_FORMAT_ETHEREUM'] : [],
    },
  })),
});
const privateKeyIds = (keysMade.privateKeys as { privateKeyId: string }[]).map((one) => one.privateKeyId);
await done(root, 'EXPORT_PRIVATE_KEY', { privateKeyId: privateKeyIds[0], targetPublicKey: TARGET });
await done(root, 'DISABLE_PRIVATE_KEY', { privateKeyId: privateKeyIds[2] });
const tag = await done(root, 'CREATE_USER_TAG', { userTagName: 'Signers', userIds: [] });
const people = [newKeys(), newKeys(), newKeys()];
const users = await done(root, 'CREATE_USERS_V4', {
  users: people.map((k, i) => ({
    ...userWith(`Person ${i}`, [k]),
    userTags: i === 0 ? [tag.userTagId] : [],
    userEmail: `P${i}@Example.com`,
  })),
});
const userIds = users.userIds as string[];
await done(root, 'CREATE_API_KEYS_V2', { userId: userIds[0], apiKeys: [apiKey(newKeys(), { expirationSeconds: '3153600000' })] });
const consensus = (id: string) => `approvers.any(user, user.id == '${id}')`;
const policy = { notes: 'why', condition: "activity.resource == 'PRIVATE_KEY' || activity.resource == 'WALLET'" };
const policies = await done(root, 'CREATE_POLICIES', {
  policies: [
    { policyName: 'One may', effect: 'EFFECT_ALLOW', ...policy, consensus: consensus(userIds[0]!) },
    {
      policyName: 'Both must',
      effect: 'EFFECT_ALLOW',
      notes: '',
      consensus: `${consensus(userIds[1]!)} && ${consensus(userIds[2]!)}`,
    },
    { policyName: 'Never', effect: 'EFFECT_DENY', notes: '', condition: "activity.type == 'ACTIVITY_TYPE_DELETE_WALLETS'" },
  ],
});
await done(root, 'CREATE_SMART_CONTRACT_INTERFACE', {
  ...{
    smartContractAddress: `0x${'ab'.repeat(20)}`,
    type: 'SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM',
    label: 'Token',
    notes: 'a token',
  },
  smartContractInterface: JSON.stringify([
    { type: 'function', name: 'transfer', inputs: [{ name: 'to', type: 'address' }], outputs: [] },
  ]),
});
await done(root, 'SET_ORGANIZATION_FEATURE', { name: 'FEATURE_NAME_EMAIL_AUTH', value: '' });
await done(root, 'INIT_IMPORT_WALLET', { userId: credentials.userId });
await done(root, 'INIT_IMPORT_PRIVATE_KEY', { userId: credentials.userId });
const [one, two, gone] = people.map((k) => root.as(k)) as [Client, Client, Client];
await done(one, 'SIGN_RAW_PAYLOAD_V2', sign(address!, '01'));
await done(root, 'SIGN_RAW_PAYLOAD_V2', { ...sign(onSolana!, '02'), hashFunction: 'HASH_FUNCTION_NOT_APPLICABLE' });
const refused = await one.submit('CREATE_USER_TAG', { userTagName: 'Refused', userIds: [] });
if (refused.status !== 403) throw new Error(refused.text);
const byTwo = await waits(two, 'CREATE_USER_TAG', { userTagName: 'By two', userIds: [] });
activityIn(await vote(gone, 'APPROVE', byTwo), 'COMPLETED');
await done(root, 'DELETE_USERS', { userIds: [userIds[2]] });
await waits(two, 'CREATE_USER_TAG', { userTagName: 'Lonely', userIds: [] });
await done(root, 'UPDATE_USER_TAG', {
  userTagId: tag.userTagId,
  newUserTagName: 'Signers again',
  addUserIds: [userIds[1]],
  removeUserIds: [],
});
const signed = root.bodyOf('SIGN_RAW_PAYLOAD_V2', sign(privateKeyIds[0]!, '03'));
const path = '/public/v1/submit/sign_raw_payload';
const repeated = { path, body: signed, id: activityIn(await root.send(path, signed), 'COMPLETED').id as string };

type Asked = { keys: Keys; query: string; parameters: object; answer: unknown };
const answers: Asked[] = [];
async function ask(client: Client, query: string, parameters: object = {}) {
  const answer = await client.query(query, parameters);
  if (answer.status !== 200) throw new Error(`${query}: ${answer.text}`);
  // Most activities asked no policy: they would say nothing more of the others.
  if (query !== 'get_policy_evaluations' || answer.text.includes('OUTCOME'))
    answers.push({
      keys: client.keys,
      query,
      parameters: { organizationId: client.organizationId, ...parameters },
      answer: answer.body,
    });
  return answer.body;
}
for (const client of [root, first, one]) {
  for (const query of ['whoami', 'list_users', 'list_wallets', 'list_private_keys', 'list_policies', 'list_user_tags'])
    await ask(client, query);
  for (const query of ['get_api_keys', 'get_organization_configs', 'list_smart_contract_interfaces', 'list_wallet_accounts'])
    await ask(client, query);
  const { activities } = await ask(client, 'list_activities', { paginationOptions: { limit: '100' } });
  for (const { id } of activities) await ask(client, 'get_policy_evaluations', { activityId: id });
}
await ask(root, 'list_suborgs');
await ask(root, 'list_suborgs', { filterType: 'NAME', filterValue: 'Sub' });
await ask(root, 'list_suborgs', { filterType: 'PUBLIC_KEY', filterValue: three[1]!.publicKey });
await ask(root, 'list_suborgs', { filterType: 'EMAIL', filterValue: 'user1@example.com' });
await ask(root, 'list_activities', { filterByStatus: ['ACTIVITY_STATUS_FAILED'] });
await ask(root, 'list_activities', { filterByType: ['ACTIVITY_TYPE_CREATE_WALLET'], paginationOptions: { limit: '1' } });
await ask(root, 'get_wallet', { walletId: wallet.walletId });
await ask(root, 'get_wallet_account', { walletId: wallet.walletId, address });
for (const userId of userIds.slice(0, 2)) await ask(root, 'get_user', { userId });
for (const privateKeyId of privateKeyIds) await ask(root, 'get_private_key', { privateKeyId });
for (const policyId of policies.policyIds as string[]) await ask(root, 'get_policy', { policyId });

child.kill('SIGTERM');
await new Promise((resolve) => child.once('exit', resolve));
const db = new Database(join(dataDir, 'countersign.db'), { readonly: true });
const names = db
  .prepare(`SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name`)
  .pluck()
  .all() as string[];
const shown = (value: unknown) => (Buffer.isBuffer(value) ? { bytes: value.toString('base64') } : value);
const tables = names.map((name) => {
  const rows = db.prepare(`SELECT * FROM "${name}" ORDER BY rowid`).all() as object[];
  return [
    name,
    rows.map((row) => Object.fromEntries(Object.entries(row).map(([column, value]) => [column, shown(value)]))),
  ] as const;
});
const files = Object.fromEntries(
  ['root.key', 'root-credentials.json'].map((name) => [name, readFileSync(join(dataDir, name), 'utf8')]),
);
const signers = [address, onSolana, ...privateKeyIds.slice(0, 2)];
const lines = (list: readonly unknown[]) => `[\n${list.map((one) => JSON.stringify(one)).join(',\n')}\n]`;
const rows = tables.map(([name, of]) => `${JSON.stringify(name)}: ${lines(of)}`).join(',\n');
const facts = JSON.stringify({ files, root: rootKeys, signers, repeated }).slice(0, -1);
writeFileSync(output, `${facts},\n"tables": {\n${rows}\n},\n"answers": ${lines(answers)}}\n`);
rmSync(dataDir, { recursive: true });
