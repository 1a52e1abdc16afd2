import { type SpawnSyncOptions, spawnSync } from 'node:child_process';
import { join } from 'node:path';

type Server = { bin: string; data: string };

/** Takes the files of a server that has ended over into the new cluster. */
export function upgrade(from: Server, { bin, data, user }: Server & { user: string }, options: SpawnSyncOptions): void {
  const places = ['-b', from.bin, '-B', bin, '-d', from.data, '-D', data];
  const ran = spawnSync(join(bin, 'pg_upgrade'), [...places, '-U', user], { ...options, encoding: 'utf8' });
  if (ran.status !== 0) throw new Error(`pg_upgrade failed: ${ran.stdout}${ran.stderr}${ran.error ?? ''}`);
}
