/** Hostile apps beside a good one, from the published client to the owner's answer. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { runnersInstance } from '../activities/quorum-keys/support.ts';
import { cannotRun } from '../runner/sandbox/support.ts';
import { type RunnerProcess, startRunner } from '../support/apps-runner.ts';
import { amount } from '../support/full.ts';
import { answers, exampleImages, newDeployment, publishedClients } from './verifiable-app-support.ts';

const skip = cannotRun();
const { instance, socket } = await runnersInstance();
const client = publishedClients(instance.url, instance.credentials);
const images = skip ? { folder: '', digest: '', hostileDigest: '' } : exampleImages();

/** What the owner is told of an app that does this. */
const HARMS = {
  fork: /after its limit of 64 processes refused \d+ forks\.$/,
  memory: /^It reached its memory limit/,
  tmp: /^It reached its memory limit .* which count its files in \/tmp\.$/,
  deaf: /^It was not healthy within 60 s: it did not answer GET \/health/,
} as const;
const ATTEMPTS = 2_000;

describe('hostile apps', { skip }, () => {
  let runner: RunnerProcess;
  let good: Awaited<ReturnType<typeof newDeployment>>;

  before(async () => {
    runner = startRunner({ APPS_SOCKET: socket, APPS_IMAGES_DIR: images.folder, DATA_DIR: instance.dataDir });
    await runner.shows(/is up/);
    good = await newDeployment(client, { digest: images.digest });
    await good.approve();
    await good.until(({ state }) => state === 'AWAITING_PROVISION');
    await good.post(good.keepers);
    await good.until(({ ready }) => ready === 1);
  });
  after(() => runner?.child.kill('SIGTERM'));

  // The last takes a minute.
  for (const [harm, told] of Object.entries(HARMS).slice(0, amount(3, 3, 4)))
    it(`do not harm another app, and the owner is told: ${harm}`, async () => {
      const options = { pivotArgs: [harm], expectedPivotDigest: images.hostileDigest };
      const bad = await newDeployment(client, { image: 'local:hostile-image', digest: '', deployment: options });
      await bad.approve();
      await bad.until(({ state }) => state === 'AWAITING_PROVISION');
      await bad.post(bad.keepers);
      const { problem } = await bad.until(({ problem }) => problem !== '', ATTEMPTS);
      assert.match(problem, told);
      await answers(runner, good);
      assert.equal((await good.status()).ready, 1);
      await client.server.deleteTvcAppAndDeployments({ appId: bad.appId });
    });
});
