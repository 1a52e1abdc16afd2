/** Chapters of the documents run in another order: the last first, each after only those that it continues. */
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { cannotRun } from '../runner/sandbox/support.ts';
import { type Anvil, startAnvil } from '../support/anvil.ts';
import { type Chapter, chaptersOf, documents, runSteps } from '../support/documents.ts';
import { freePort } from '../support/free-port.ts';
import { type ServiceProcess, startProcess } from '../support/process.ts';

const chapters = documents.flatMap(chaptersOf);

/** It and what it needs, in their order. */
function chainOf(chapter: Chapter): Chapter[] {
  const before = chapter.needs.map((need) => {
    const found = chapters.find(({ id }) => id === need);
    assert.ok(found, `${chapter.id} continues ${need}, which has no commands`);
    return found;
  });
  return [...before.flatMap(chainOf), chapter];
}

/** One that others need is run by them. */
const last = chapters.filter(({ id }) => !chapters.some(({ needs }) => needs.includes(id)));
/** No chapter is twice on one instance: names and key files are taken after it. */
const rounds: Chapter[][][] = [];
for (const chain of last.toReversed().map(chainOf)) {
  const free = rounds.find((round) => !round.flat().some((chapter) => chain.includes(chapter)));
  if (free) free.push(chain);
  else rounds.push([chain]);
}

let anvil: Anvil;
before(async () => {
  anvil = await startAnvil();
});
after(() => anvil.stop());

for (const [i, round] of rounds.entries())
  describe(`on instance ${i + 1}`, () => {
    let folder: string;
    let service: ServiceProcess;
    let env: Record<string, string>;

    before(async () => {
      folder = mkdtempSync(join(tmpdir(), 'countersign-chapters-'));
      // Other users of a runner go through it.
      chmodSync(folder, 0o711);
      const TMPDIR = join(folder, 'tmp');
      mkdirSync(TMPDIR);
      const ISSUER_PORT = String(await freePort());
      const settings = {
        DATA_DIR: join(folder, 'data'),
        OUTBOUND_ALLOW: `localhost:${ISSUER_PORT}`,
        RPC_URL_EIP155_31337: anvil.url,
        APPS_SOCKET: join(folder, 'apps.sock'),
      };
      service = await startProcess(settings);
      await service.ready();
      env = {
        ...settings,
        ISSUER_PORT,
        APPS_PORT: String(await freePort()),
        TMPDIR,
        BASE_URL: service.url,
        PORT: new URL(service.url).port,
      };
    });

    after(async () => {
      service.child.kill('SIGTERM');
      await service.exited;
      rmSync(folder, { recursive: true, force: true });
    });

    for (const chain of round) {
      const { id, name } = chain.at(-1)!;
      const runsApps = chain.some(({ steps }) => steps.some(({ command }) => command.includes('./countersign runner')));
      test(`${id} does what it says`, { skip: runsApps && cannotRun() }, () =>
        runSteps(
          name,
          chain.flatMap(({ steps }) => steps),
          env,
        ),
      );
    }
  });
