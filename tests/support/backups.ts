import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Decrypter, Encrypter, generateX25519Identity, identityToRecipient } from 'age-encryption';

/** A key pair of age, whose private key is in a file, in a folder for the test's copies. Remove it after the tests. */
export async function backupPlace() {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-backup-'));
  const identity = await generateX25519Identity();
  const recipient = await identityToRecipient(identity);
  const identityFile = join(folder, 'identity.txt');
  writeFileSync(identityFile, `# a key for tests\n${identity}\n`, { mode: 0o600 });
  const remove = () => rmSync(folder, { recursive: true, force: true });
  return { folder, remove, identity, identityFile, recipient, at: (name: string) => join(folder, name) };
}

export type BackupPlace = Awaited<ReturnType<typeof backupPlace>>;

/** The text of a copy. */
export async function textOf({ identity }: BackupPlace, file: string): Promise<string> {
  const age = new Decrypter();
  age.addIdentity(identity);
  return age.decrypt(readFileSync(file), 'text');
}

/** Writes a copy with these lines, and a digest that matches them. */
export async function written({ recipient }: BackupPlace, file: string, lines: readonly string[]): Promise<void> {
  const text = lines.slice(0, -1).map((line) => `${line}\n`);
  const end = JSON.parse(lines.at(-1)!);
  end.end.sha256 = createHash('sha256').update(text.join('')).digest('hex');
  const age = new Encrypter();
  age.addRecipient(recipient);
  writeFileSync(file, await age.encrypt([...text, `${JSON.stringify(end)}\n`].join('')));
}

/** The lines of a copy, in which each object or row may be changed. */
// biome-ignore lint/suspicious/noExplicitAny: lines are changed freely
export function changed(text: string, change: (line: any, table: string) => unknown): string[] {
  let table = '';
  return text
    .trimEnd()
    .split('\n')
    .flatMap((line) => {
      const value = JSON.parse(line);
      table = value.table ?? table;
      const made = change(value, table);
      return made === undefined ? [] : [JSON.stringify(made)];
    });
}
