import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { freshNonces } from '../../src/crypto/spark/frost.ts';
import {
  bytes,
  Fn,
  keyOf,
  type PartialSignature,
  pointOf,
  type SparkWallet,
  sparkWallet,
  text,
} from '../activities/spark/support.ts';
import { resultOf, submitPath } from '../support/client.ts';
import { freshDatabase } from '../support/database.ts';
import { type ServiceProcess, startProcess } from '../support/process.ts';

const PRELOAD = fileURLToPath(new URL('../support/draws.ts', import.meta.url));
const TYPE = 'SPARK_SIGN_FROST';
const folder = mkdtempSync(join(tmpdir(), 'countersign-spark-'));
const armed = join(folder, 'armed');
const draws = join(folder, 'draws');
const database = await freshDatabase();
let service: ServiceProcess;
let wallet: SparkWallet;

async function start(): Promise<void> {
  writeFileSync(armed, '');
  writeFileSync(draws, '');
  const settings = { DATA_DIR: folder, FAIL_POINT_FILE: armed, DRAWS_FILE: draws };
  service = await startProcess({ ...settings, ...(database ? { DATABASE_URL: database.url } : {}) }, PRELOAD);
  await service.ready();
}

before(async () => {
  await start();
  wallet = await sparkWallet(service.root());
});
after(async () => {
  service.child.kill('SIGKILL');
  await service.exited;
  await database?.drop();
  rmSync(folder, { recursive: true });
});

const commitment = { id: text(keyOf('id')), hiding: pointOf('hiding'), binding: pointOf('binding') };

/** The commitments to all nonces that the process can have made for this message, from its randomness and the key. */
function possible(message: string): string[] {
  const [id, hiding, binding] = [commitment.id, commitment.hiding, commitment.binding].map(bytes);
  const commitments = [{ id: id!, hiding: hiding!, binding: binding! }];
  const request = { message: bytes(message), verifyingKey: bytes(pointOf('verifying')), commitments };
  return readFileSync(draws, 'utf8')
    .trimEnd()
    .split('\n')
    .flatMap((draw) => {
      const nonces = freshNonces(wallet.keyAt("0'"), request, () => Buffer.from(draw, 'hex'));
      return [nonces.hiding, nonces.binding].map((nonce) => text(secp256k1.getPublicKey(Fn.toBytes(nonce))));
    });
}

for (const point of ['before share', 'after share'])
  test(`killed ${point} of a FROST signature, a process leaves no share, and the same body gets a fresh nonce`, async () => {
    const message = text(keyOf(point));
    const signature = {
      derivation: { identity: {} },
      message,
      verifyingKey: pointOf('verifying'),
      operatorCommitments: [commitment],
    };
    const body = service.root().bodyOf(TYPE, { signWith: wallet.address, signatures: [signature] });
    const send = async () => {
      const answer = await service.root().send(submitPath(TYPE), body);
      return resultOf(answer, 'sparkSignFrostResult').signatures as PartialSignature[];
    };

    writeFileSync(armed, JSON.stringify({ point, nth: 1, signal: 'SIGKILL' }));
    await assert.rejects(send());
    await service.exited;
    assert.ok(existsSync(`${armed}.met`));
    rmSync(`${armed}.met`);
    const before = possible(message);

    await start();
    const { activities } = (await service.root().query('list_activities', { filterByType: [`ACTIVITY_TYPE_${TYPE}`] })).body;
    assert.ok(!JSON.stringify(activities).includes(message), 'the killed process recorded nothing');
    const [share] = await send();
    const own = [share!.hiding, share!.binding];
    assert.deepEqual(
      own.filter((nonce) => before.includes(nonce)),
      [],
      'a nonce of the killed process was used',
    );
    // The record of randomness is complete: the nonces that were used are in it.
    const used = possible(message);
    assert.deepEqual(
      own.filter((nonce) => !used.includes(nonce)),
      [],
    );

    assert.deepEqual(await send(), [share], 'the same body gets the stored result');
    service.child.kill('SIGKILL');
    await service.exited;
    await start();
    assert.deepEqual(await send(), [share]);
    const later = possible(message);
    assert.ok(!later.includes(share!.hiding));
  });
