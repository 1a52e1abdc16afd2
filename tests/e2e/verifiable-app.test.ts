/** A verifiable app from its executable to its answer, by the published client and the real runner. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { Outsider, outsideQuorumKey, runnersInstance } from '../activities/quorum-keys/support.ts';
import { cannotRun } from '../runner/sandbox/support.ts';
import { appProcesses, askApp, gone, type RunnerProcess, startRunner } from '../support/apps-runner.ts';
import { answers, exampleImages, newDeployment, publishedClients, type Wanted } from './verifiable-app-support.ts';

const skip = cannotRun();
const { instance, socket } = await runnersInstance();
const client = publishedClients(instance.url, instance.credentials);
const images = skip ? { folder: '', digest: '', hostileDigest: '' } : exampleImages();
const env = { APPS_SOCKET: socket, APPS_IMAGES_DIR: images.folder, DATA_DIR: instance.dataDir };
const deployment = (more: Partial<Wanted> = {}) => newDeployment(client, { digest: images.digest, ...more });
type Deployment = Awaited<ReturnType<typeof deployment>>;

/** Approved, and with a runner that waits for shares. */
async function awaiting(more: Partial<Wanted> = {}): Promise<Deployment> {
  const deployed = await deployment(more);
  await deployed.approve();
  await deployed.until(({ state }) => state === 'AWAITING_PROVISION');
  return deployed;
}

describe('a verifiable app', { skip }, () => {
  let runner: RunnerProcess;

  before(async () => {
    runner = startRunner(env);
    await runner.shows(/is up/);
  });

  it('is approved, provisioned and answers by its host name; when it is killed, it starts again with its key', async () => {
    const deployed = await awaiting();
    assert.equal((await askApp(runner, deployed.appId)).status, 503);
    assert.equal((await askApp(runner, deployed.deploymentId)).status, 404);
    await deployed.post(deployed.keepers.slice(1));
    await deployed.until(({ ready }) => ready === 1);
    await answers(runner, deployed);
    const shown = runner.output().length;
    for (const pid of appProcesses(runner, '/app')) process.kill(pid, 'SIGKILL');
    const killed = await deployed.until(({ ready }) => ready === 0);
    assert.deepEqual([killed.state, killed.problem], ['PROVISIONED', 'SIGKILL ended it.']);
    await runner.shows(/an app has ended[\s\S]*an app is ready/, shown);
    await answers(runner, deployed);
    await deployed.until(({ ready, problem }) => ready === 1 && problem === '');
    const secrets = [deployed.seed, ...deployed.keepers.map(({ share }) => share!)];
    for (const secret of secrets)
      for (const form of ['hex', 'base64', 'latin1'] as const) assert.ok(!runner.output().includes(secret.toString(form)));
    const files = readdirSync(runner.folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    assert.deepEqual(files, [], 'the runner keeps nothing in a file with a name');
  });

  it('has one way out, and its owner reads what it writes in debug mode and why it ended', async () => {
    const options = { pivotArgs: ['egress', '3128'], debugMode: true, expectedPivotDigest: images.hostileDigest };
    const app = { enableEgress: true, enableDebugModeDeployments: true };
    const deployed = await awaiting({ image: 'local:hostile-image', app, deployment: options });
    await deployed.post(deployed.keepers);
    const { problem } = await deployed.until(({ problem }) => problem !== '');
    assert.equal(problem, 'It exited with code 4.');
    const lines = await deployed.debugLog(`runner: ${problem}`);
    assert.match(lines[0]!, /^out: HTTP\/1\.1 403 /);
    assert.ok(lines.some((line) => line.startsWith('8.8.8.8 ')));
  });

  it('does not start from an executable that differs by one byte, and its owner is told', async () => {
    const deployed = await deployment({ image: 'local:changed' });
    await deployed.approve();
    const { state, problem } = await deployed.until(({ problem }) => problem !== '');
    assert.equal(state, 'PENDING');
    assert.match(problem, /^The executable's SHA-256 is [0-9a-f]{64}, which is not the approved one\.$/);
    await assert.rejects(deployed.post(deployed.keepers), /which is not the approved one/);
    await runner.shows(new RegExp(`${deployed.deploymentId}.*does not start.*has a deployment no more`, 's'));
  });

  it('does not start without the image, with one approval too few, or from links', async () => {
    const [missing, unapproved] = [await deployment({ image: 'local:no-image' }), await deployment()];
    await unapproved.approve([unapproved.approvers[0]!]);
    await missing.approve();
    const { problem } = await missing.until(({ problem }) => problem !== '');
    assert.equal(problem, 'its image cannot be used: /no-image below APPS_IMAGES_DIR is missing');
    assert.deepEqual(await unapproved.status(), { state: 'PENDING', ready: 0, problem: '' });
    assert.ok(!runner.output().includes(unapproved.deploymentId));
  });

  it('does not start from a share of another key, or from one share by two operators', async () => {
    const deployed = await awaiting();
    const [one, two, three] = deployed.keepers;
    const others = [new Outsider('a'), new Outsider('b')];
    outsideQuorumKey(others);
    await deployed.post([one]);
    await deployed.post([two], others[1]!.share!);
    const refused = await deployed.until(({ problem }) => problem !== '');
    assert.match(refused.problem, /^the shares of Keeper 1, Keeper 2 do not give the quorum key of the manifest/);
    assert.deepEqual([refused.state, refused.ready], ['AWAITING_PROVISION', 0]);
    await deployed.post([one]);
    await assert.rejects(deployed.post([one]), /has already posted a share/);
    await deployed.post([three], one.share!);
    await runner.shows(/Keeper 1, Keeper 3 do not give/);
    await deployed.until(({ problem }) => /Keeper 3/.test(problem));
    assert.equal((await askApp(runner, deployed.appId)).status, 503);
    await deployed.post([one, three]);
    await deployed.until(({ ready }) => ready === 1);
    await answers(runner, deployed);
  });

  it('is one runner’s: of two one has it, a stopped one gives it to the other, and a killed one leaves no process', async () => {
    const other = startRunner(env);
    await other.shows(/is up/);
    const deployments = await Promise.all(Array.from({ length: 3 }, () => awaiting()));
    for (const one of deployments) await one.post(one.keepers.slice(0, 2));
    for (const one of deployments) await one.until(({ ready }) => ready === 1);
    const ownersOf = ({ deploymentId }: Deployment) => [runner, other].filter((one) => one.output().includes(deploymentId));
    for (const one of deployments) assert.equal(ownersOf(one).length, 1);
    const ofOther = deployments.filter((one) => ownersOf(one)[0] === other);
    assert.equal(appProcesses(other, '/app').length, ofOther.length);

    runner.child.kill('SIGTERM');
    assert.equal(await runner.exited, 0);
    assert.deepEqual(appProcesses(runner), []);
    const moved = await awaiting();
    await other.shows(new RegExp(moved.deploymentId));
    for (const one of deployments)
      await one.until(
        ({ state, ready }) =>
          state === (ofOther.includes(one) ? 'PROVISIONED' : 'AWAITING_PROVISION') && (ready === 1) === ofOther.includes(one),
      );
    await moved.post(moved.keepers.slice(0, 2));
    await moved.until(({ ready }) => ready === 1);
    const oldKey = await moved.ephemeralKey();

    other.child.kill('SIGKILL');
    await other.exited;
    await gone(other);
    instance.clock.advance(61_000);
    assert.deepEqual(await moved.status(), { state: 'PENDING', ready: 0, problem: '' });
    const next = startRunner(env, { like: other });
    await next.shows(/is up/);
    assert.deepEqual(readdirSync(join(next.folder, 'run', 'apps')), [], 'what the killed runner left is removed');
    await moved.until(({ state }) => state === 'AWAITING_PROVISION');
    await assert.rejects(moved.post(moved.keepers, undefined, oldKey), /is not the present ephemeral key/);
    await moved.post(moved.keepers.slice(1));
    await moved.until(({ ready }) => ready === 1);
    await answers(next, moved);
  });
});

it('a runner does not start where it can read DATA_DIR', { skip }, async () => {
  const { exited, output } = startRunner(env, { hides: false });
  assert.equal(await exited, 1);
  assert.match(output(), /^this process can read .*, the DATA_DIR of the service. Hide it/);
});

it('a runner does not start as another user, or without its folders, and says what to do', { skip }, async () => {
  const refused = async (more: Record<string, string>, why: RegExp, uid?: number) => {
    const { exited, output } = startRunner({ ...env, DATA_DIR: '/dev/null/none', ...more }, { hides: false, uid });
    assert.equal(await exited, 1, output());
    assert.match(output(), why);
  };
  await refused({}, /^Only root can give each app a user ID of its own/, 65_534);
  await refused({ APPS_FOLDER: '/dev/null/none' }, /^\/dev\/null\/none\/apps cannot be made: .* Choose another APPS_FOLDER/);
  const long = `/tmp/${'x'.repeat(80)}`;
  await refused(
    { APPS_FOLDER: long },
    /^Sockets in .* would have paths that are \d+ bytes too long: choose a shorter APPS_FOLDER/,
  );
  assert.ok(!existsSync(long));
  await refused(
    { APPS_IMAGES_DIR: '/proc/none' },
    /^APPS_IMAGES_DIR cannot be read: .* Make the folder, or unset APPS_IMAGES_DIR/,
  );
});
