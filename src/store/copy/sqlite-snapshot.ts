import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DATABASE_FILE } from '../../base/files.ts';
import { MOVED } from '../archive/columns.ts';
import { ARCHIVE_FILE, isMade } from '../archive/file.ts';
import { connect, opened } from '../engines/sqlite.ts';
import { explained } from '../engines/sqlite-errors.ts';
import { checkMadeBy } from '../engines/sqlite-made-by.ts';
import { requireSchema } from '../migrations/migrate.ts';
import { hasArchived } from '../repositories/activities/archived.ts';
import { type CopiedTable, readerOf } from './columns.ts';
import { selectOf } from './select.ts';
import type { Snapshot } from './snapshot.ts';

/**
 * The archive's rows without those whose originals still exist. An archive command may have copied them just now, or it was killed
 * before it removed the originals.
 */
const LEFT = new Map(
  MOVED.map(({ to, id, of }) => {
    const original = of === undefined ? 'activities' : of.from.name;
    return [
      to.name,
      ` WHERE NOT EXISTS (SELECT 1 FROM main."${original}" o WHERE o."organization_id" = "${to.name}"."organization_id" AND o."id" = "${to.name}"."${id}")`,
    ];
  }),
);

export async function openOnSqlite(folder: string): Promise<Snapshot> {
  const file = join(folder, DATABASE_FILE);
  checkMadeBy(file);
  let hasArchive = false;
  const db = opened(
    file,
    (made) => {
      const archive = join(folder, ARCHIVE_FILE);
      if (existsSync(archive)) {
        made.prepare('ATTACH ? AS archive').run(archive);
        hasArchive = isMade(made, 'archive');
      }
      made.pragma('query_only = ON');
      // The database's state is the older one: what leaves it is durable in the archive first.
      made.exec('BEGIN');
      made.prepare('SELECT count(*) FROM main.sqlite_master').get();
    },
    { fileMustExist: true },
  );
  try {
    const conn = connect(db, (error) => explained(error, folder));
    await requireSchema(conn);
    return {
      conn,
      lacksArchive: !hasArchive && (await hasArchived(conn)),
      async *rows(table: CopiedTable, newest?: number) {
        if (LEFT.has(table.name) && !hasArchive) return;
        const read = readerOf('sqlite', table);
        try {
          for (const row of db
            .prepare(selectOf(table, LEFT.get(table.name), newest))
            .raw()
            .iterate())
            yield read(row as unknown[]);
        } catch (error) {
          throw explained(error, folder);
        }
      },
      lastNumber: async (table) =>
        Number(db.prepare('SELECT max(seq) FROM sqlite_sequence WHERE name = ?').pluck().get(table) ?? 0),
      close: async () => void db.close(),
    };
  } catch (error) {
    db.close();
    throw error;
  }
}
