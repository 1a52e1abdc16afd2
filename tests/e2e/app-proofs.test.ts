import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { sharedPair } from '../activities/support.ts';
import { ADDRESS, ask, asking, OUTCOME, type Proof, proofsOf, typesOf } from '../queries/app-proofs/support.ts';
import { ethereumAccount, newKeys, userWith } from '../support/client.ts';
import { freshMigrated } from '../support/database.ts';
import { startInstance } from '../support/instance.ts';
import { type ServiceProcess, startProcess } from '../support/process.ts';
import { newWallet } from './authority.ts';

const { instance, pair } = await sharedPair();
const { root } = instance;

const digestOf = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('hex');
const derivedOf = (proofs: readonly Proof[]) =>
  proofs
    .filter((proof) => JSON.parse(proof.proofPayload).type === ADDRESS)
    .map((proof) => JSON.parse(proof.proofPayload).addressDerivationProof);

const rows = async (table: string) => Number((await instance.raw(`SELECT count(*) AS n FROM ${table}`))[0]!.n);

test('a wallet’s proofs name each address; queries and a repeated body give the same', async () => {
  const accounts = [ethereumAccount(), { ...ethereumAccount(), path: "m/44'/60'/0'/0/7" }];
  const body = asking(root, 'CREATE_WALLET', { walletName: 'Proven', accounts });
  const answer = await root.send('/public/v1/submit/create_wallet', body);
  const proofs = proofsOf(answer);
  const { activity } = answer.body;
  const { walletId, addresses } = activity.result.createWalletResult;
  const { organizationId } = root;
  assert.deepEqual(typesOf(proofs), [OUTCOME, ADDRESS, ADDRESS]);
  assert.deepEqual(
    derivedOf(proofs),
    accounts.map(({ path }, i) => ({ organizationId, walletId, derivationPath: path, address: addresses[i] })),
  );
  const again = await root.send('/public/v1/submit/create_wallet', body);
  assert.deepEqual(again.body.activity.appProofs, proofs);
  const found = (await root.query('get_activity', { activityId: activity.id })).body.activity;
  assert.deepEqual(found.appProofs, proofs);
  const { activities } = (await root.query('list_activities')).body;
  assert.equal(activities.find(({ id }: { id: string }) => id === activity.id).appProofs, undefined);
});

test('accounts that are not kept, and the wallet of a sub-organization, are proven too', async () => {
  const { walletId } = await newWallet(root);
  const parameters = { walletId, accounts: [{ ...ethereumAccount(), path: "m/44'/60'/1'/0/0" }], persist: false };
  const answer = await ask(root, 'CREATE_WALLET_ACCOUNTS', parameters);
  const { addresses } = answer.body.activity.result.createWalletAccountsResult;
  assert.deepEqual(
    derivedOf(proofsOf(answer)).map(({ address }) => address),
    addresses,
  );
  const wallet = { walletName: 'First', accounts: [ethereumAccount()] };
  const users = [{ ...userWith('Ada', [newKeys()]), authenticators: [], oauthProviders: [] }];
  const made = { subOrganizationName: 'Proven', rootUsers: users, rootQuorumThreshold: 1, wallet };
  const sub = await ask(root, 'CREATE_SUB_ORGANIZATION_V7', made);
  const { subOrganizationId, wallet: first } = sub.body.activity.result.createSubOrganizationResultV7;
  const [derived] = derivedOf(proofsOf(sub));
  assert.deepEqual([derived.organizationId, derived.walletId], [subOrganizationId, first.walletId]);
});

test('both keys of an operator of verifiable apps are proven', async () => {
  const path = "m/5527107'/0'/0'";
  const answer = await ask(root, 'CREATE_TVC_OPERATOR', { walletName: 'Operator', path, operatorName: 'Ada' });
  const { walletId, encryptPublicKey, signPublicKey } = answer.body.activity.result.createTvcOperatorResult;
  const { organizationId } = root;
  assert.deepEqual(
    derivedOf(proofsOf(answer)),
    [encryptPublicKey, signPublicKey].map((address, i) => ({
      organizationId,
      walletId,
      derivationPath: `${path}/${i}`,
      address,
    })),
  );
});

test('the policy outcome commits to the decision, the approvals and the facts', async () => {
  const [first, second] = pair.clients;
  const body = asking(first, 'CREATE_WALLET', { walletName: 'Agreed', accounts: [] });
  const waiting = await first.send('/public/v1/submit/create_wallet', body);
  assert.equal(waiting.body.activity.status, 'ACTIVITY_STATUS_CONSENSUS_NEEDED');
  assert.equal(waiting.body.activity.appProofs, undefined);
  const { fingerprint } = waiting.body.activity;
  const approval = await second.submit('APPROVE_ACTIVITY', { fingerprint });
  const proofs = proofsOf(approval);
  const { activity } = approval.body;
  assert.deepEqual(typesOf(proofs), [OUTCOME]);
  const { policyOutcomeProof: proof, timestampMs } = JSON.parse(proofs[0]!.proofPayload);
  assert.match(timestampMs, /^\d{13}$/);
  const { organizationId } = pair;
  assert.deepEqual([proof.organizationId, proof.outcome], [organizationId, 'OUTCOME_ALLOW']);
  assert.equal(
    proof.decisionContextDigest,
    digestOf({ activityId: activity.id, activityType: activity.type, fingerprint, policyEvaluations: [] }),
  );
  const approvals = activity.votes.map(({ userId, scheme, publicKey, signature, message }: Record<string, string>) => ({
    ...{ userId, scheme, publicKey, signature },
    bodyDigest: createHash('sha256').update(message!).digest('hex'),
  }));
  assert.equal(approvals.length, 2);
  assert.deepEqual(proof.userRequestApprovals, approvals);
  const [row] = await instance.raw('SELECT facts_version FROM activities WHERE fingerprint = $1', fingerprintBytes(fingerprint));
  assert.equal(proof.organizationDataDigest, digestOf({ organizationId, version: Number(row!.facts_version) }));
  assert.equal(proof.parentOrganizationDataDigest, '');
});

const fingerprintBytes = (fingerprint: string) => Buffer.from(fingerprint.slice('sha256:'.length), 'hex');

test('a signature is proven where its body asks; other bodies write no row and open no transaction', async (t) => {
  const { addresses } = await newWallet(root);
  const sign = () => ({
    signWith: addresses[0],
    payload: 'aa'.repeat(32),
    encoding: 'PAYLOAD_ENCODING_HEXADECIMAL',
    hashFunction: 'HASH_FUNCTION_NO_OP',
  });
  const { store } = instance.engine;
  const transactions = t.mock.method(store, 'transaction');
  const looks = t.mock.method(store.read.appProofs, 'ofActivity');
  const before = await rows('app_proofs');
  const plain = await root.submit('SIGN_RAW_PAYLOAD_V2', sign());
  assert.equal(plain.body.activity.appProofs, undefined);
  assert.deepEqual((await root.query('list_app_proofs', { activityId: plain.body.activity.id })).body, { appProofs: [] });
  const ofRequests = transactions.mock.calls.filter(({ stack }) => !stack.stack?.includes('/workers/'));
  assert.deepEqual([ofRequests.length, looks.mock.callCount(), await rows('app_proofs')], [0, 1, before]);
  const proven = await ask(root, 'SIGN_RAW_PAYLOAD_V2', sign());
  assert.deepEqual(typesOf(proofsOf(proven)), [OUTCOME]);
  assert.equal(await rows('app_proofs'), before + 1);
  const { r, s } = plain.body.activity.result.signRawPayloadResult;
  assert.deepEqual(
    [proven.body.activity.result.signRawPayloadResult.r, proven.body.activity.result.signRawPayloadResult.s],
    [r, s],
  );
});

test('a refused activity, and one that its voters reject, has no proofs', async () => {
  await root.submit('CREATE_WALLET', { walletName: 'Taken', accounts: [] });
  const before = await rows('app_proofs');
  const refused = await ask(root, 'CREATE_WALLET', { walletName: 'Taken', accounts: [ethereumAccount()] });
  assert.equal(refused.status, 400);
  const [first] = pair.clients;
  const waiting = await ask(first, 'CREATE_WALLET', { walletName: 'Never', accounts: [] });
  const { fingerprint, id } = waiting.body.activity;
  const rejected = await pair.clients[1].submit('REJECT_ACTIVITY', { fingerprint });
  assert.equal(rejected.body.activity.status, 'ACTIVITY_STATUS_REJECTED');
  assert.deepEqual((await first.query('list_app_proofs', { activityId: id })).body, { appProofs: [] });
  assert.equal(await rows('app_proofs'), before);
});

test('the operator turns them off', async () => {
  const off = await startInstance({ APP_PROOFS: 'off' });
  try {
    const answer = await ask(off.root, 'CREATE_WALLET', { walletName: 'Plain', accounts: [ethereumAccount()] });
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.body.activity.appProofs, undefined);
    const { id: activityId } = answer.body.activity;
    assert.deepEqual((await off.root.query('list_app_proofs', { activityId })).body, { appProofs: [] });
  } finally {
    await off.close();
  }
});

test('proofs and boot proofs outlive the process, which may be killed; the next one has another key', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'countersign-proofs-'));
  const database = await freshMigrated(dataDir);
  const start = async (): Promise<ServiceProcess> => {
    const service = await startProcess({ DATA_DIR: dataDir, ...(database ? { DATABASE_URL: database.url } : {}) });
    await service.ready();
    return service;
  };
  const killed = async ({ child, exited }: ServiceProcess) => {
    child.kill('SIGKILL');
    await exited;
  };
  try {
    const one = await start();
    const body = asking(one.root(), 'CREATE_WALLET', { walletName: 'Kept', accounts: [ethereumAccount()] });
    const proofs = proofsOf(await one.root().send('/public/v1/submit/create_wallet', body));
    await killed(one);
    const two = await start();
    const later = two.root();
    const again = await later.send('/public/v1/submit/create_wallet', body);
    assert.deepEqual(proofsOf(again), proofs);
    const ephemeralKey = proofs[0]!.publicKey;
    const { bootProof } = (await later.query('get_boot_proof', { ephemeralKey })).body;
    assert.equal(bootProof.ephemeralPublicKeyHex, ephemeralKey);
    const [next] = proofsOf(await ask(later, 'CREATE_WALLET', { walletName: 'Next', accounts: [] }));
    assert.notEqual(next!.publicKey, ephemeralKey);
    const latest = (await later.query('get_latest_boot_proof', { appName: 'countersign' })).body.bootProof;
    assert.equal(latest.ephemeralPublicKeyHex, next!.publicKey);
    await killed(two);
  } finally {
    await database?.drop();
    rmSync(dataDir, { recursive: true, force: true });
  }
});
