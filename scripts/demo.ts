/**
 * `npm run demo`: starts a throw-away instance and walks through the main job. Every step checks what it shows; exits 0 only
 * if all of them held.
 *
 *   --json  the steps as JSON, on standard output alone
 */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash, createPublicKey, verify } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { hashMessage, recoverMessageAddress } from 'viem';
import { clientOf, ethereumAccount, newKeys, post, resultOf, stampOf, submitPath, userWith } from '../tests/support/client.ts';
import { freePort } from '../tests/support/free-port.ts';

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));
const READY_MS = 120_000;
const MESSAGE = 'Countersign signs what was agreed on';

type Facts = Record<string, string | number | boolean>;
type DemoStep = { step: string; says: string; facts: Facts };

const { values: options } = parseArgs({ options: { json: { type: 'boolean', default: false } } });
const steps: DemoStep[] = [];
let doing = 'start';

function show(step: DemoStep): void {
  steps.push(step);
  if (options.json) return;
  const width = Math.max(...Object.keys(step.facts).map((name) => name.length));
  const lines = Object.entries(step.facts).map(([name, value]) => `     ${name.padEnd(width)}  ${value}`);
  process.stdout.write(`\n${String(steps.length).padStart(2)}. ${step.says}\n${lines.join('\n')}\n`);
}

/** The P-256 signature of a stamp, checked with nothing but the record: its public key and the stored bytes. */
function stampHolds(publicKey: string, signature: string, message: string): boolean {
  // SubjectPublicKeyInfo of a compressed point on P-256 (RFC 5480).
  const prefix = '3039301306072a8648ce3d020106082a8648ce3d030107032200';
  const key = createPublicKey({ key: Buffer.from(prefix + publicKey, 'hex'), format: 'der', type: 'spki' });
  return verify('sha256', Buffer.from(message), key, Buffer.from(signature, 'hex'));
}

async function untilReady(url: string, child: ChildProcess, output: () => string): Promise<void> {
  const deadline = performance.now() + READY_MS;
  while (performance.now() < deadline) {
    if (child.exitCode !== null) throw new Error(`the service ended:\n${output()}`);
    const answer = await fetch(`${url}/ready`).catch(() => undefined);
    if (answer?.status === 200) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error(`the service did not become ready:\n${output()}`);
}

async function walk(url: string, dataDir: string): Promise<void> {
  const started = performance.now();
  const root = JSON.parse(readFileSync(join(dataDir, 'root-credentials.json'), 'utf8'));
  const operator = clientOf(url, { publicKey: root.apiPublicKey, privateKey: root.apiPrivateKey }, root.organizationId);
  const who = await operator.query('whoami');
  assert.equal(who.status, 200, who.text);
  assert.equal(who.body.userId, root.userId);
  show({
    step: 'service',
    says: 'A throw-away service',
    facts: { url, organization: root.organizationId, user: who.body.username },
  });

  doing = 'organization';
  const alice = newKeys();
  const parameters = { subOrganizationName: 'Treasury', rootQuorumThreshold: 1, rootUsers: [userWith('Alice', [alice])] };
  const made = resultOf(await operator.submit('CREATE_SUB_ORGANIZATION_V8', parameters), 'createSubOrganizationResultV8');
  const owner = operator.as(alice, made.subOrganizationId);
  assert.equal((await owner.query('whoami')).body.userId, made.rootUserIds[0]);
  show({
    step: 'organization',
    says: 'An organization of its own for Alice, who holds its only key',
    facts: { organization: made.subOrganizationId, 'root user': made.rootUserIds[0], 'public key': alice.publicKey },
  });

  doing = 'wallet';
  const wallet = resultOf(
    await owner.submit('CREATE_WALLET', { walletName: 'Main', accounts: [ethereumAccount()] }),
    'createWalletResult',
  );
  const address: string = wallet.addresses[0];
  show({ step: 'wallet', says: 'A wallet with an Ethereum account', facts: { wallet: wallet.walletId, address } });

  doing = 'signature';
  const sign = {
    signWith: address,
    payload: hashMessage(MESSAGE),
    encoding: 'PAYLOAD_ENCODING_HEXADECIMAL',
    hashFunction: 'HASH_FUNCTION_NO_OP',
  };
  const type = 'SIGN_RAW_PAYLOAD_V2';
  const body = owner.bodyOf(type, sign);
  const first = await owner.send(submitPath(type), body);
  const { r, s, v } = resultOf(first, 'signRawPayloadResult');
  const signature = `0x${r}${s}${(27 + Number.parseInt(v, 16)).toString(16)}` as const;
  const recovered = await recoverMessageAddress({ message: MESSAGE, signature });
  assert.equal(recovered, address, 'viem recovers the address from the signature');
  show({ step: 'signature', says: 'A signed message, checked by viem', facts: { message: MESSAGE, signature, recovered } });

  doing = 'record';
  const { id } = first.body.activity;
  const { activity } = (await owner.query('get_activity', { activityId: id })).body;
  const [vote] = activity.votes;
  assert.equal(activity.status, 'ACTIVITY_STATUS_COMPLETED');
  assert.equal(activity.fingerprint, `sha256:${createHash('sha256').update(body).digest('hex')}`);
  assert.equal(vote.message, body, 'the record holds the bytes that were signed');
  assert.equal(vote.publicKey, alice.publicKey);
  assert.ok(stampHolds(vote.publicKey, vote.signature, vote.message), 'the stamp in the record verifies');
  show({
    step: 'record',
    says: 'The record proves itself: Alice’s stamp is in it and verifies over the stored bytes',
    facts: { activity: id, status: activity.status, fingerprint: activity.fingerprint, 'voted by': vote.user.userName },
  });

  doing = 'again';
  const again = await owner.send(submitPath(type), body);
  assert.deepEqual(again.body, first.body, 'the same body is answered with the same activity');
  const { activities } = (await owner.query('list_activities')).body;
  const signatures = activities.filter((a: { type: string }) => a.type === `ACTIVITY_TYPE_${type}`).length;
  assert.equal(signatures, 1, 'nothing ran twice');
  show({
    step: 'again',
    says: 'The same request again gives the same activity',
    facts: { activity: id, 'signatures made': signatures },
  });

  doing = 'refusal';
  const bob = newKeys();
  const users = [{ ...userWith('Bob', [bob]), userTags: [] }];
  resultOf(await owner.submit('CREATE_USERS_V4', { users }), 'createUsersResult');
  const stranger = owner.as(bob);
  const wish = stranger.bodyOf(type, sign);
  const refused = await stranger.send(submitPath(type), wish);
  assert.equal(refused.status, 403, refused.text);
  assert.equal(refused.body.details[0].turnkeyErrorCode, 'REQUEST_NOT_AUTHORIZED');
  assert.deepEqual((await stranger.send(submitPath(type), wish)).body, refused.body, 'the refusal is kept');
  const [kept] = (await owner.query('list_activities', { filterByStatus: ['ACTIVITY_STATUS_FAILED'] })).body.activities;
  assert.equal(kept.failure.message, refused.body.message);
  assert.equal(kept.result.signRawPayloadResult, undefined);
  show({
    step: 'refusal',
    says: 'Bob is no root user, and nothing allows him to sign: refused, and the refusal is on record',
    facts: { 'HTTP status': refused.status, why: refused.body.message, activity: kept.id, status: kept.status },
  });

  doing = 'tampering';
  const changed = owner.bodyOf(type, sign);
  const stamp = stampOf(alice, changed);
  const tampered = await post(`${url}${submitPath(type)}`, changed.replace(address, `${address} `), { 'x-stamp': stamp });
  assert.equal(tampered.status, 401, tampered.text);
  assert.equal(tampered.body.details[0].turnkeyErrorCode, 'SIGNATURE_INVALID');
  const after = (await owner.query('list_activities')).body.activities;
  assert.equal(after.length, activities.length + 2, 'only Bob’s creation and his refusal came after');
  show({
    step: 'tampering',
    says: 'One byte more than was stamped: refused, and nothing is recorded',
    facts: { 'HTTP status': tampered.status, why: tampered.body.message },
  });
  if (!options.json)
    process.stdout.write(`\nAll ${steps.length} steps held, in ${Math.round(performance.now() - started)} ms.\n`);
}

const dataDir = mkdtempSync(join(tmpdir(), 'countersign-demo-'));
const port = await freePort();
// Nothing of the caller's environment: a DATABASE_URL in it must not become the demo's database.
const child = spawn(process.execPath, [MAIN], {
  env: { PATH: process.env.PATH, PORT: String(port), DATA_DIR: dataDir, LOG_LEVEL: 'error' },
  stdio: ['ignore', 'pipe', 'pipe'],
});
const ended = new Promise((resolve) => child.once('exit', resolve));
let output = '';
for (const stream of [child.stdout, child.stderr])
  stream.on('data', (chunk) => {
    output += chunk;
  });
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    child.kill('SIGKILL');
    rmSync(dataDir, { recursive: true, force: true });
    process.exit(130);
  });

const url = `http://127.0.0.1:${port}`;
let problem: string | undefined;
try {
  await untilReady(url, child, () => output);
  await walk(url, dataDir);
} catch (error) {
  problem = `the step "${doing}" did not hold: ${(error as Error).message}`;
} finally {
  child.kill('SIGTERM');
  await ended;
  rmSync(dataDir, { recursive: true, force: true });
}
if (options.json) process.stdout.write(`${JSON.stringify({ held: problem === undefined, problem, steps }, null, 2)}\n`);
if (problem !== undefined) {
  process.stderr.write(`\n${problem}\n`);
  process.exitCode = 1;
}
