/** An upgrade, as clients see it. Two processes on PostgreSQL behind nginx are replaced, one after the other. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { behind, isMissing } from '../deploy/proxy-support.ts';
import { type Client, clientOf, ethereumAccount, resultOf } from '../support/client.ts';
import { engineName, freshDatabase } from '../support/database.ts';
import { freePort } from '../support/free-port.ts';
import { amount } from '../support/full.ts';
import { type ServiceProcess, startProcess } from '../support/process.ts';
import { waitFor } from '../support/wait.ts';

const CLIENTS = 8;
const ROUNDS = amount(1, 1, 10);
const folder = mkdtempSync(join(tmpdir(), 'countersign-replaced-'));
after(() => rmSync(folder, { recursive: true, force: true }));

type Tally = { answered: number; failed: string[]; longestMs: number };

/** Signs until told to stop. Each request is sent once: the proxy alone repeats it. */
async function load(client: Client, signWith: string, going: { on: boolean }, tally: Tally): Promise<void> {
  const parameters = { signWith, encoding: 'PAYLOAD_ENCODING_TEXT_UTF8', hashFunction: 'HASH_FUNCTION_SHA256' };
  while (going.on) {
    const started = performance.now();
    const answer = await client
      .submit('SIGN_RAW_PAYLOAD_V2', { ...parameters, payload: `${tally.answered}` })
      .catch((error: Error) => ({ status: 0, body: error.message }));
    tally.longestMs = Math.max(tally.longestMs, performance.now() - started);
    if (answer.status === 200) tally.answered += 1;
    else tally.failed.push(`${answer.status} ${JSON.stringify(answer.body)}`);
  }
}

const skip = engineName === 'sqlite' ? 'needs PostgreSQL' : isMissing('nginx');

test('no request fails while both processes are replaced', { skip }, async (t) => {
  const database = (await freshDatabase())!;
  const ports = [await freePort(), await freePort()] as const;
  const start = async (port: number) => {
    const env = { DATA_DIR: join(folder, 'data'), DATABASE_URL: database.url, TRUSTED_PROXIES: '127.0.0.1', PORT: `${port}` };
    const service = await startProcess(env);
    await service.ready();
    return service;
  };
  const services: ServiceProcess[] = [];
  try {
    for (const port of ports) services.push(await start(port));
    await behind('nginx', { folder, port: await freePort(), ports }, async (url) => {
      const root = services[0]!.root();
      const client = clientOf(url, root.keys, root.organizationId);
      const made = await client.submit('CREATE_WALLET', { walletName: 'One', accounts: [ethereumAccount()] });
      const [address] = resultOf(made, 'createWalletResult').addresses;
      const tally: Tally = { answered: 0, failed: [], longestMs: 0 };
      const going = { on: true };
      const clients = Array.from({ length: CLIENTS }, () => load(client, address, going, tally));
      for (let round = 0; round < ROUNDS; round++)
        for (const [i, port] of ports.entries()) {
          const before = tally.answered;
          await waitFor('signatures', () => tally.answered > before + 50 || tally.failed.length > 0);
          services[i]!.child.kill('SIGTERM');
          assert.equal(await services[i]!.exited, 0);
          services[i] = await start(port);
        }
      going.on = false;
      await Promise.all(clients);
      t.diagnostic(`${tally.answered} signed, the longest in ${Math.round(tally.longestMs)} ms, ${2 * ROUNDS} replacements`);
      assert.deepEqual(tally.failed, []);
    });
  } finally {
    for (const service of services) service.child.kill('SIGTERM');
    for (const service of services) await service.exited;
    await database.drop();
  }
});
