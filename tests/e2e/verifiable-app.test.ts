/** A verifiable app from its executable to its answer, by the published client and the real runner. */
import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { before, describe, it } from 'node:test';
import { runnersInstance } from '../activities/quorum-keys/support.ts';
import { cannotRun, get } from '../runner/sandbox/support.ts';
import { type RunnerProcess, startRunner } from '../support/apps-runner.ts';
import { clientOf, exampleImages, newDeployment, type Wanted } from './verifiable-app-support.ts';

const skip = cannotRun();
const { instance, socket } = await runnersInstance();
const client = clientOf(instance.url, instance.credentials);
const images = skip ? { folder: '', digest: '' } : exampleImages();
const env = { APPS_SOCKET: socket, APPS_IMAGES_DIR: images.folder, DATA_DIR: instance.dataDir };
const deployment = (more: Partial<Wanted> = {}) => newDeployment(client, instance.root, { digest: images.digest, ...more });

describe('a verifiable app', { skip }, () => {
  let runner: RunnerProcess;

  before(async () => {
    runner = startRunner(env);
    await runner.shows(/is up/);
  });

  it('is approved, provisioned and answers', async () => {
    const deployed = await deployment();
    await deployed.approve();
    await deployed.until(({ state }) => state === 'AWAITING_PROVISION');
    await deployed.post(deployed.keepers.slice(1));
    await deployed.until(({ ready }) => ready === 1);
    const [socket] = globSync(`${runner.folder}/run/apps/*/3000.sock`);
    assert.match(await get(socket!, '/'), /quorumKeySha256/);
  });
});
