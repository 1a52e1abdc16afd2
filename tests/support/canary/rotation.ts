import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cli } from '../cli.ts';
import { newKeys } from '../client.ts';
import type { Flow } from './flows.ts';

const PASSPHRASE = 'correct horse battery staple canary';

const SHARES = { ROOT_KEY_PROVIDER: 'shares' };

/** The settings of the root key after the flow. */
export const ROTATED = { ROOT_KEY_PROVIDER: 'passphrase', ROOT_PASSPHRASE: PASSPHRASE };

/**
 * The secrets of all flows before are sealed anew, each under its own name. Then the root key goes into shares, and becomes a passphrase. At
 * last the operator recovers the root user.
 */
export const rotation: Flow = {
  kinds: [],
  async run(world) {
    const env = { DATA_DIR: world.folder, ...(world.databaseUrl ? { DATABASE_URL: world.databaseUrl } : {}) };
    const custody = async (args: string[], more: Record<string, string> = {}, input = '') => {
      const { code, out, err } = await cli(['custody', ...args], { env: { ...env, ...more }, input });
      assert.equal(code, 0, err);
      world.errors.push(out, err);
      return out;
    };
    const { leftOpen, resealed } = JSON.parse(await custody(['rotate-master', '--json']));
    assert.deepEqual(leftOpen, []);
    assert.ok(resealed > 50, `${resealed} secrets were sealed anew`);
    const place = mkdtempSync(join(tmpdir(), 'countersign-canary-shares-'));
    const shares = ['--shares', '3', '--threshold', '2', '--out', join(place, 'three')];
    await custody(['rotate-root', '--to', 'shares', ...shares]);
    const texts = readdirSync(join(place, 'three')).map(
      (file) => readFileSync(join(place, 'three', file), 'utf8').split('\n')[1]!,
    );
    rmSync(place, { recursive: true });
    for (const [i, text] of texts.entries()) world.secret(`rotate-root: share ${i + 1}`, text);
    const passphrase = world.secret('rotate-root: the passphrase', PASSPHRASE);
    await custody(
      ['rotate-root', '--to', 'passphrase'],
      { ...SHARES, NEW_ROOT_PASSPHRASE: passphrase },
      texts.slice(1).join('\n'),
    );
    await custody(['status']);
    const { userId } = (await world.root.query('whoami')).body;
    const whom = ['--organization', world.root.organizationId, '--user', userId, '--public-key', newKeys().publicKey];
    const recovery = await cli(['recover-root', ...whom, '--reason', 'lost'], { env: { ...env, ...ROTATED } });
    // On SQLite the service has the database, and the command is refused after it read the root key's settings.
    assert.equal(recovery.code, world.databaseUrl ? 0 : 1, recovery.err);
    world.errors.push(recovery.out, recovery.err);
  },
};
