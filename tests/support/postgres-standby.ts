import { appendFileSync, chownSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';

export interface Account {
  readonly uid: number;
  readonly gid: number;
}

/** A base backup, without the program for it, which the package does not have. */
export async function copyOf({ url, data: from }: { url: string; data: string }, data: string, user: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query("select pg_backup_start('standby', true)");
    await copyFiles(from, data);
    const { rows } = await client.query('select labelfile from pg_backup_stop(false)');
    writeFileSync(join(data, 'backup_label'), rows[0].labelfile);
  } finally {
    await client.end();
  }
  const { hostname, port } = new URL(url);
  writeFileSync(join(data, 'standby.signal'), '');
  appendFileSync(join(data, 'postgresql.auto.conf'), `primary_conninfo = 'host=${hostname} port=${port} user=${user}'\n`);
}

const COPIES = 5;

/** The server removes files meanwhile, such as those of its log. */
async function copyFiles(from: string, to: string): Promise<void> {
  const options = { recursive: true, preserveTimestamps: true, filter: (path: string) => !path.endsWith('postmaster.pid') };
  for (let left = COPIES; ; left--) {
    try {
      return await cp(from, to, options);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || left === 1) throw error;
      for (const name of readdirSync(to)) rmSync(join(to, name), { recursive: true });
    }
  }
}

/** PostgreSQL refuses files of others. */
export function giveAway(folder: string, { uid, gid }: Account): void {
  for (const name of ['', ...(readdirSync(folder, { recursive: true }) as string[])]) chownSync(join(folder, name), uid, gid);
}
