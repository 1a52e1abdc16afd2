import assert from 'node:assert/strict';
import { appendFileSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { exportCommand } from '../../src/cli/export.ts';
import { newStampKeys, stampOf } from '../../src/cli/stamp.ts';
import { verifyCommand } from '../../src/cli/verify.ts';
import { fingerprintOf } from '../../src/engine/request/context.ts';
import { type CheckedLine, verifyFile } from '../../src/operator/record/verify-file.ts';
import { newPair } from '../activities/support.ts';
import { SoftAuthenticator } from '../support/authenticator.ts';
import { stampOf as clientStamp, post, submitPath } from '../support/client.ts';
import { sharedInstance } from '../support/instance.ts';
import { addPasskey, byPasskey } from '../support/passkey-client.ts';
import { seeded } from '../support/seeded.ts';

const instance = await sharedInstance();
const { root } = instance;
const file = join(instance.dataDir, 'record.jsonl');
/** So that activities of just now are exported too. */
const later = () => Date.now() + 120_000;

const run = (out: string, organization?: string) => {
  const credentials = join(instance.dataDir, 'root-credentials.json');
  return exportCommand(later, { out, instance: false, json: true, url: instance.url, credentials, organization });
};
const linesOf = (path: string) => readFileSync(path, 'utf8').trimEnd().split('\n');

async function checked(path: string): Promise<CheckedLine[]> {
  const all: CheckedLine[] = [];
  await verifyFile(path, (line) => all.push(line));
  return all;
}
const wrongIn = async (path: string) =>
  (await checked(path)).filter(({ problems }) => problems.length > 0).map(({ line }) => line);

before(async () => {
  const { body } = await root.query('whoami');
  const { userId } = body;
  const random = (n: number) => Buffer.from(Array.from({ length: n }, (_, i) => ((i * 7 + n) % 251) | 1));
  for (const curve of ['API_KEY_CURVE_SECP256K1', 'API_KEY_CURVE_ED25519'] as const) {
    const keys = newStampKeys(curve, random);
    const apiKeys = [{ apiKeyName: curve, publicKey: keys.apiPublicKey, curveType: curve }];
    assert.equal((await root.submit('CREATE_API_KEYS_V2', { userId, apiKeys })).status, 200);
    const wallet = root.bodyOf('CREATE_WALLET', { walletName: curve, accounts: [] });
    const made = await post(`${instance.url}${submitPath('CREATE_WALLET')}`, wallet, { 'x-stamp': stampOf(keys, wallet) });
    assert.equal(made.status, 200, made.text);
  }
  const authenticator = new SoftAuthenticator();
  await addPasskey(root, userId, authenticator);
  const tagged = await byPasskey(root, authenticator).submit('CREATE_USER_TAG', { userTagName: 'By passkey', userIds: [] });
  assert.equal(tagged.status, 200, tagged.text);
  // Its parameters may hold a secret.
  await root.submit('UPDATE_USER_EMAIL', { userId, userEmail: 'new@example.com', verificationToken: 'wrong' });
});

test('an export holds every activity, and each stamp in it holds', async () => {
  const told = JSON.parse((await run(file)).text);
  const lines = await checked(file);
  assert.deepEqual(
    lines.filter(({ problems }) => problems.length > 0),
    [],
  );
  const { activities } = (await root.query('list_activities', { paginationOptions: { limit: '100' } })).body;
  const ids = lines.flatMap(({ activityId }) => activityId ?? []);
  assert.deepEqual(ids, activities.map(({ id }: { id: string }) => id).reverse());
  assert.equal(told.activities, ids.length);
  const schemes = new Set(linesOf(file).flatMap((line) => JSON.parse(line).activity?.votes[0].scheme ?? []));
  assert.equal(schemes.size, 4, [...schemes].join());
  const sealed = lines.filter(({ unchecked }) => unchecked.length > 0);
  assert.deepEqual(
    sealed.map(({ unchecked, stamps }) => [unchecked, stamps]),
    [[['the body, which is sealed', 'the stamp of vote 1, over the sealed body'], 0]],
  );
});

test('one flipped character of a body, a stamp, a vote or a digest is named by its line', async () => {
  const pair = await newPair(instance, 'Votes');
  const [first, second] = pair.clients;
  const tag = await first.submit('CREATE_USER_TAG', { userTagName: 'Tag', userIds: [] });
  await second.submit('APPROVE_ACTIVITY', { fingerprint: tag.body.activity.fingerprint });
  const votes = join(instance.dataDir, 'votes.jsonl');
  await run(votes, pair.organizationId);
  assert.deepEqual(await wrongIn(votes), []);
  const lines = linesOf(votes);
  const at = lines.findIndex((line) => line.includes(tag.body.activity.id));
  const { activity } = JSON.parse(lines[at]!);
  assert.deepEqual([activity.votes.length, activity.votes[1].message.includes('APPROVE_ACTIVITY')], [2, true]);
  const flipped = (text: string, i: number) => text.slice(0, i) + String.fromCharCode(text.charCodeAt(i) ^ 1) + text.slice(i + 1);
  const draw = seeded(7);
  const copy = join(instance.dataDir, 'flipped.jsonl');
  for (const [name, change] of [
    ['body', (a) => Object.assign(a.votes[0], { message: flipped(a.votes[0].message, draw(a.votes[0].message.length)) })],
    ['approval', (a) => Object.assign(a.votes[1], { message: flipped(a.votes[1].message, draw(a.votes[1].message.length)) })],
    ['stamp', (a) => Object.assign(a.votes[0], { signature: flipped(a.votes[0].signature, 30) })],
    ['vote', (a) => Object.assign(a.votes[1], { selection: 'VOTE_SELECTION_REJECTED' })],
    ['fingerprint', (a) => Object.assign(a, { fingerprint: flipped(a.fingerprint, 20) })],
    ['intent', (a) => Object.assign(a.intent.createUserTagIntent, { userTagName: 'Other' })],
    ['type', (a) => Object.assign(a, { type: 'ACTIVITY_TYPE_CREATE_WALLET' })],
    ['emptied body', (a) => Object.assign(a.votes[0], { message: '' })],
    ['voter', (a) => Object.assign(a.votes[1], { userId: a.votes[0].userId })],
    ['sealed', (a) => (Object.assign(a, { type: SEALED, fingerprint: fingerprintOf(Buffer.from('')) }).votes[0].message = '')],
    [
      'stamped query',
      (a) => {
        const message = JSON.stringify({ organizationId: pair.organizationId });
        const stamp = JSON.parse(Buffer.from(clientStamp(first.keys, message), 'base64url').toString());
        const votes = [{ ...a.votes[0], message, signature: stamp.signature }];
        Object.assign(a, { votes, fingerprint: fingerprintOf(Buffer.from(message)), status: 'ACTIVITY_STATUS_FAILED' });
      },
    ],
  ] as [string, (a: Changed) => void][]) {
    const line = JSON.parse(lines[at]!);
    change(line.activity);
    writeFileSync(copy, `${lines.toSpliced(at, 1, JSON.stringify(line)).join('\n')}\n`);
    assert.deepEqual(await wrongIn(copy), [at + 1, lines.length], name);
    assert.equal(await verifyCommand(copy, { json: false }, () => {}), 1, name);
  }
  const twice = lines[at]!.replace('"activity":', '"activity":{"id":"another"},"activity":');
  writeFileSync(copy, `${lines.toSpliced(at, 1, twice).join('\n')}\n`);
  assert.deepEqual(await wrongIn(copy), [at + 1, lines.length]);
  // A line that is gone is missed by the last line alone.
  writeFileSync(copy, `${lines.toSpliced(at, 1).join('\n')}\n`);
  assert.deepEqual(await wrongIn(copy), [lines.length - 1]);
  writeFileSync(copy, `${lines.slice(0, -1).join('\n')}\n`);
  assert.deepEqual([await wrongIn(copy), await verifyCommand(copy, { json: true }, () => {})], [[], 1]);
});

const SEALED = 'ACTIVITY_TYPE_UPDATE_USER_EMAIL';

type Text = { userId: string; message: string; signature: string };
type Changed = { votes: [Text, Text]; fingerprint: string; intent: { createUserTagIntent: object } };

test('an export goes on where it ended or was cut off, with the same lines', async () => {
  await run(file);
  const whole = readFileSync(file);
  const [header = '', one = ''] = linesOf(file);
  for (const end of [Buffer.byteLength(`${header}\n`), Buffer.byteLength(`${header}\n${one}\n`) + 40, whole.length - 1]) {
    writeFileSync(file, whole);
    truncateSync(file, end);
    await run(file);
    assert.deepEqual(readFileSync(file), whole, `cut at ${end}`);
  }
  const { organizationId } = await instance.newSubOrganization('Another', 1, 1);
  await assert.rejects(run(file, organizationId), /is no export of this organization/);
  await run(file);
  assert.deepEqual([await wrongIn(file), linesOf(file).length], [[], whole.toString().trimEnd().split('\n').length + 1]);
  appendFileSync(file, '{}\n');
  assert.deepEqual(await wrongIn(file), [linesOf(file).length]);
});
