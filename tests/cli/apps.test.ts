import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { openQuorumBytes, sealQuorumEnvelope } from '../../src/crypto/quorum-envelope.ts';
import {
  attestedIn,
  newDeployment as newShareDeployment,
  Outsider,
  outsideQuorumKey,
} from '../activities/quorum-keys/support.ts';
import { deploymentSeen, hashSeen, liveOf, newApp, newDeployment, newOperator } from '../activities/tvc/support.ts';
import { cli } from '../support/cli.ts';
import { sharedInstance } from '../support/instance.ts';
import { NOBODY } from '../support/refusals.ts';

const folder = mkdtempSync(join(tmpdir(), 'countersign-operators-'));
after(() => rmSync(folder, { recursive: true }));
const instance = await sharedInstance();
const { root } = instance;
const credentials = ['--url', instance.url, '--credentials', join(instance.dataDir, 'root-credentials.json')];

const apps = (...args: string[]) => cli(['apps', ...args, ...credentials], { cwd: folder });
const fileOf = (name: string) => join(folder, `${name}.operator`);
const newKey = async (name: string) => (await cli(['apps', 'operator-key', name], { cwd: folder })).out.trim();

/** Alice and Bob must both approve. Their keys are files. */
const [alice, bob] = [await newKey('alice'), await newKey('bob')];
const named = (name: string, publicKey: string) => ({ ...newOperator(name), publicKey });
const made = async (more: object = {}) => {
  const { appId } = await newApp(root, [named('Alice', alice), named('Bob', bob)], 2, { enableDebugModeDeployments: true });
  return { appId, ...(await newDeployment(root, appId, more)) };
};

test('an operator’s keys are made once, readable by their owner alone, and derived as published clients do', async () => {
  assert.match(alice, /^04[0-9a-f]{258}$/);
  assert.match(readFileSync(fileOf('alice'), 'utf8'), /^[0-9a-f]{64}\n$/);
  assert.equal(statSync(fileOf('alice')).mode & 0o777, 0o600);
  const again = await cli(['apps', 'operator-key', 'alice'], { cwd: folder });
  assert.deepEqual([again.code, again.out], [1, '']);
  assert.match(again.err, /alice\.operator already exists/);
  const other = JSON.parse((await cli(['apps', 'operator-key', 'eve', '--json'], { cwd: folder })).out);
  assert.deepEqual([other.name, other.file], ['eve', fileOf('eve')]);
  assert.equal((await cli(['apps', 'operator-key', '../eve'], { cwd: folder })).code, 2);
});

test('a manifest is shown before it is signed, and is live once both approved', async () => {
  const { appId, deploymentId, manifestId } = await made({ pivotArgs: ['--name', '\u001b[31mred\u202e\u2028'] });
  const hash = (await hashSeen(root, { deploymentId, manifestId })).toString('hex');
  const shown = await apps('approve', deploymentId, '--key', fileOf('alice'), '--dry-run');
  assert.deepEqual([shown.code, shown.err], [0, '']);
  for (const text of [
    hash,
    `prod/tvc/${appId}`,
    `"Alice" ${alice}\n`,
    `"Bob" ${bob}\n`,
    'red\\u{202e}\\u{2028}',
    'Nothing was signed: operator Alice would approve this.',
  ])
    assert.ok(shown.out.includes(text), `${text}: ${shown.out}`);
  assert.equal(/\p{Cc}/u.test(shown.out.replaceAll('\n', '')), false, 'no control sequence reaches the terminal');
  assert.deepEqual((await deploymentSeen(root, deploymentId)).manifestApprovals, []);

  const first = await apps('approve', deploymentId, '--key', fileOf('alice'));
  assert.deepEqual([first.code, first.out.split('\n').at(-2)], [0, 'Approved by operator Alice: 1 of 2.']);
  const { manifest } = JSON.parse((await apps('approve', deploymentId, '--key', fileOf('bob'), '--dry-run', '--json')).out);
  const digest = manifest.pivot.hash.toUpperCase();
  const given = ['--digest', digest, '--hash', hash.toUpperCase()];
  const second = JSON.parse((await apps('approve', deploymentId, '--key', fileOf('bob'), ...given, '--json')).out);
  assert.deepEqual([second.manifestHash, second.manifestId, second.approvalIds.length], [hash, manifestId, 1]);
  assert.equal(await liveOf(root, appId), deploymentId);

  const again = await apps('approve', deploymentId, '--key', fileOf('bob'));
  assert.deepEqual([again.code, again.out], [1, '']);
  assert.match(again.err, /has already approved this manifest/);
});

test('nothing is signed for another executable, by another operator, or with a file that holds no key', async () => {
  const { deploymentId } = await made();
  await newKey('mallory');
  const file = join(folder, 'no-key');
  writeFileSync(file, 'ab');
  const bad: [args: string[], code: number, text: RegExp][] = [
    [
      ['--key', fileOf('alice'), '--digest', '00'.repeat(32)],
      1,
      /for another executable: its SHA-256 is [0-9a-f]{64}, not 0+\. Nothing was/,
    ],
    [
      ['--key', fileOf('alice'), '--hash', '00'.repeat(32)],
      1,
      /another manifest: its hash is [0-9a-f]{64}, not 0+\. Nothing was/,
    ],
    [['--key', fileOf('mallory')], 1, /the key of no operator who may approve this manifest/],
    [['--key', fileOf('alice'), '--digest', 'xy'], 2, /--digest must be a SHA-256 in hex/],
    [['--key', fileOf('alice'), '--hash', 'xy'], 2, /--hash must be a SHA-256 in hex/],
    [['--key', file], 2, /must hold 64 hex digits/],
    [['--key', join(folder, 'none')], 2, /cannot read the operator's key/],
    [[], 2, /name the file of the operator/],
  ];
  for (const [args, code, text] of bad) {
    const told = await apps('approve', deploymentId, ...args);
    assert.deepEqual([told.code, told.out], [code, '']);
    assert.match(told.err, text);
  }
  assert.deepEqual((await deploymentSeen(root, deploymentId)).manifestApprovals, []);
});

test('a manifest of a form that the hash would not cover is not signed', async () => {
  const { deploymentId } = await made();
  await instance.raw(
    `UPDATE tvc_deployments SET manifest = replace(manifest, '"args"', '"env":{},"args"') WHERE id = $1`,
    deploymentId,
  );
  const told = await apps('approve', deploymentId, '--key', fileOf('alice'));
  assert.equal(told.code, 1);
  assert.match(told.err, /another form than this program knows, so it signs nothing/);
});

test('all that a manifest says is shown, also what no manifest of this service says', async () => {
  const { deploymentId } = await made();
  const strange = newOperator().publicKey;
  const change = `UPDATE tvc_deployments SET manifest = replace(replace(manifest, '"pcr3":"00', '"pcr3":"ab'), $1, $2) WHERE id = $3`;
  const patchSet = '"patchSet":{"threshold":2,"members":[';
  await instance.raw(change, patchSet, `${patchSet}{"pubKey":"${strange}"},`, deploymentId);
  const { out } = await apps('approve', deploymentId, '--key', fileOf('alice'), '--dry-run');
  assert.match(out, new RegExp(`\\npatches by: +2 of 3\\n +${strange}\\n`));
  assert.match(out, /\nmeasurements: +\{"pcr0":"0+",.*"pcr3":"ab0+","awsRootCertificate":""\}\n/);
});

test('the state of an app, and the lines of a deployment in debug mode', async () => {
  const { appId, deploymentId } = await made({ debugMode: true });
  const { code, out } = await apps('status', appId);
  assert.equal(code, 0);
  assert.match(out, new RegExp(`^app: +app \\(${appId}\\)\\ndomain: +app-${appId}\\.localhost\\n`));
  assert.match(out, new RegExp(`\\n${deploymentId}  \\S+Z  0 of 2 approvals  0/1 ready  awaits approvals  debug mode\\n$`));
  assert.equal(JSON.parse((await apps('status', appId, '--json')).out).appStatus.appId, appId);
  assert.deepEqual(await apps('logs', deploymentId, '--tail', '5', '--since', '60'), {
    code: 0,
    out: 'There are no lines.\n',
    err: '',
  });
  assert.equal((await apps('logs', deploymentId, '--tail', 'x')).code, 2);
  const plain = await made();
  const refused = await apps('logs', plain.deploymentId);
  assert.equal(refused.code, 1);
  assert.match(refused.err, /without debugMode/);
});

test('an operator posts its share to the key that the service vouches for, sealed anew', async () => {
  const keepers = [new Outsider('Keeper 1'), new Outsider('Keeper 2')];
  const seedFile = join(folder, 'keeper.operator');
  const shareFile = join(folder, 'keeper.share');
  const keeper = await newKey('keeper');
  Object.defineProperty(keepers[0], 'publicKey', { value: keeper });
  const deployed = await newShareDeployment(root, { quorumPublicKey: outsideQuorumKey(keepers), outsiders: keepers });
  await deployed.approve();
  const { keys, ephemeralPublicKey } = await attestedIn(instance, deployed);
  const sealed = sealQuorumEnvelope(Buffer.from(keeper.slice(0, 130), 'hex'), keepers[0]!.share!, randomBytes);
  writeFileSync(shareFile, `${sealed.toString('hex')}\n`);
  const post = (...more: string[]) => apps('post-share', deployed.deploymentId, '--key', seedFile, '--share', shareFile, ...more);

  const other = await post('--hash', '00'.repeat(32));
  assert.deepEqual([other.code, other.out], [1, '']);
  assert.match(other.err, /^this is another manifest: its hash is [0-9a-f]{64}/);
  const dry = JSON.parse((await post('--hash', deployed.hash.toString('hex'), '--dry-run', '--json')).out);
  assert.equal(dry.ephemeralPublicKeyHex, ephemeralPublicKey);
  const wrong = await apps('post-share', deployed.deploymentId, '--key', fileOf('alice'), '--share', shareFile);
  assert.match(wrong.err, /is no operator of the share set of this deployment/);
  assert.deepEqual(await post('--hash', deployed.hash.toString('hex')), {
    code: 0,
    out: 'Operator Keeper 1 has posted its share.\n',
    err: '',
  });
  const [row] = await instance.raw('SELECT sealed FROM tvc_provisioning_shares');
  const own = Buffer.from(ephemeralPublicKey.slice(0, 130), 'hex');
  assert.deepEqual(openQuorumBytes(Buffer.from(row!.sealed as Uint8Array), keys.encrypt, own), keepers[0]!.share);
  assert.match((await post()).err, /has already posted a share/);
  const unnamed = await apps('post-share', deployed.deploymentId);
  assert.deepEqual([unnamed.code, /name an operator/.test(unnamed.err)], [2, true]);
});

test('wrong usage is explained, and an unknown app is refused', async () => {
  for (const args of [['aprove'], ['approve'], ['status', 'x'], ['status', NOBODY, NOBODY]]) {
    const told = await apps(...args);
    assert.deepEqual([told.code, told.out], [2, ''], args.join(' '));
    assert.match(told.err, /countersign apps --help|must be an id/);
  }
  assert.equal((await apps('status', NOBODY)).code, 1);
});
