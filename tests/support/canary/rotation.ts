import assert from 'node:assert/strict';
import { cli } from '../cli.ts';
import type { Flow } from './flows.ts';

const PASSPHRASE = 'correct horse battery staple canary';

/** The settings of the root key after the flow. */
export const ROTATED = { ROOT_KEY_PROVIDER: 'passphrase', ROOT_PASSPHRASE: PASSPHRASE };

/** The secrets of all flows before are sealed anew, each under its own name. Then the root key becomes a passphrase. */
export const rotation: Flow = {
  kinds: [],
  async run(world) {
    const env = { DATA_DIR: world.folder, ...(world.databaseUrl ? { DATABASE_URL: world.databaseUrl } : {}) };
    const custody = async (args: string[], more: Record<string, string> = {}) => {
      const { code, out, err } = await cli(['custody', ...args], { env: { ...env, ...more } });
      assert.equal(code, 0, err);
      world.errors.push(out, err);
      return out;
    };
    const { leftOpen, resealed } = JSON.parse(await custody(['rotate-master', '--json']));
    assert.deepEqual(leftOpen, []);
    assert.ok(resealed > 50, `${resealed} secrets were sealed anew`);
    const passphrase = world.secret('rotate-root: the passphrase', PASSPHRASE);
    await custody(['rotate-root', '--to', 'passphrase'], { NEW_ROOT_PASSPHRASE: passphrase });
    await custody(['status']);
  },
};
