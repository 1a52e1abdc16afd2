/** Runner, app and service are killed at random moments of a deployment's life. */
import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { runnersInstance } from '../activities/quorum-keys/support.ts';
import { cannotRun } from '../runner/sandbox/support.ts';
import { appProcesses, gone, startRunner } from '../support/apps-runner.ts';
import { freePort } from '../support/free-port.ts';
import { amount, isFull } from '../support/full.ts';
import { startProcess } from '../support/process.ts';
import { waitFor } from '../support/wait.ts';
import { answers, exampleImages, newDeployment, publishedClients } from './verifiable-app-support.ts';

const ROUNDS = amount(2, 2, 6);
const skip = cannotRun() || (!isFull && 'it takes minutes: run it with --full');
const { instance, socket } = await runnersInstance();
const images = skip ? { folder: '', digest: '' } : exampleImages();
type Deployment = Awaited<ReturnType<typeof newDeployment>>;

/** What operators do, as far as it goes. */
async function provision(deployed: Deployment): Promise<void> {
  await deployed.approve();
  await deployed.until(({ state }) => state !== 'PENDING');
  await deployed.post(deployed.keepers.slice(1));
  await deployed.until(({ ready }) => ready === 1);
}

/** Whatever has happened, operators post until it runs. */
async function repaired(deployed: Deployment): Promise<void> {
  for (let attempt = 0; (await deployed.until(({ state }) => state !== 'PENDING')).state !== 'PROVISIONED'; attempt += 1) {
    assert.ok(attempt < 100, 'the deployment does not get its key');
    // Shares that were posted before count.
    for (const keeper of deployed.keepers) await deployed.post([keeper]).catch(() => {});
    await wait(200);
  }
  await deployed.until(({ ready }) => ready === 1);
}

it('a runner that is killed at a random moment leaves no process and no half-provisioned app', { skip }, async () => {
  const env = { APPS_SOCKET: socket, APPS_IMAGES_DIR: images.folder, DATA_DIR: instance.dataDir };
  const clients = publishedClients(instance.url, instance.credentials);
  let runner = startRunner(env);
  for (let round = 0; round < ROUNDS; round += 1) {
    await runner.shows(/is up/);
    const deployed = await newDeployment(clients, { digest: images.digest });
    const provisioning = provision(deployed).catch(() => {});
    const moment = randomInt(4_000);
    await wait(moment);
    const shown = `killed after ${moment} ms`;
    runner.child.kill('SIGKILL');
    await runner.exited;
    await gone(runner);
    instance.clock.advance(61_000);
    assert.deepEqual(await deployed.status(), { state: 'PENDING', ready: 0, problem: '' }, shown);
    runner = startRunner(env, { like: runner });
    await repaired(deployed);
    await answers(runner, deployed);
    await provisioning;
  }
  runner.child.kill('SIGTERM');
  assert.equal(await runner.exited, 0);
  await waitFor('the end of all processes of apps', () => appProcesses(runner).length === 0);
});

it('an app that is killed at random moments starts again with its key, and leaves no process', { skip }, async () => {
  const env = { APPS_SOCKET: socket, APPS_IMAGES_DIR: images.folder, DATA_DIR: instance.dataDir };
  const clients = publishedClients(instance.url, instance.credentials);
  const runner = startRunner(env);
  await runner.shows(/is up/);
  const deployed = await newDeployment(clients, { digest: images.digest });
  await provision(deployed);
  for (let round = 0; round < ROUNDS; round += 1) {
    await wait(randomInt(1_500));
    // Any of its processes, at any moment of a start: the app, or its forwarder.
    const all = appProcesses(runner);
    for (const pid of all.slice(0, randomInt(all.length + 1))) process.kill(pid, 'SIGKILL');
  }
  const shown = runner.output().length;
  for (const pid of appProcesses(runner, '/app')) process.kill(pid, 'SIGKILL');
  await runner.shows(/an app is ready/, shown);
  await deployed.until(({ state, ready }) => state === 'PROVISIONED' && ready === 1, 2_000);
  await answers(runner, deployed);
  runner.child.kill('SIGTERM');
  assert.equal(await runner.exited, 0);
  await waitFor('the end of all processes of apps', () => appProcesses(runner).length === 0);
});

/** The service as a process, on a folder of its own, and a runner of it. */
it('an app goes on while the service is killed, and a deployment survives that at random moments', { skip }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-service-'));
  const DATA_DIR = join(folder, 'data');
  const settings = { DATA_DIR, APPS_SOCKET: join(folder, 'runners.sock'), PORT: String(await freePort()) };
  let service = await startProcess(settings);
  const restart = async () => {
    service.child.kill('SIGKILL');
    await service.exited;
    service = await startProcess(settings);
    await service.ready();
  };
  await service.ready();
  const credentials = JSON.parse(readFileSync(join(DATA_DIR, 'root-credentials.json'), 'utf8'));
  const runner = startRunner({ ...settings, APPS_IMAGES_DIR: images.folder });
  try {
    const clients = publishedClients(service.url, credentials);
    const first = await newDeployment(clients, { digest: images.digest });
    await provision(first);
    service.child.kill('SIGKILL');
    await service.exited;
    await runner.shows(/the service does not answer at APPS_SOCKET or APPS_SERVICE_URL/);
    await answers(runner, first);
    await restart();
    await runner.shows(/the service answers again/);
    assert.deepEqual(await first.status(), { state: 'PROVISIONED', ready: 1, problem: '' });
    for (let round = 0; round < ROUNDS; round += 1) {
      const deployed = await newDeployment(clients, { digest: images.digest });
      await deployed.approve();
      const provisioning = provision(deployed).catch(() => {});
      await wait(randomInt(3_000));
      await restart();
      await provisioning;
      await repaired(deployed);
      await answers(runner, deployed);
      assert.deepEqual(await first.status(), { state: 'PROVISIONED', ready: 1, problem: '' });
    }
  } finally {
    service.child.kill('SIGTERM');
    await service.exited;
    rmSync(folder, { recursive: true, force: true });
  }
});
