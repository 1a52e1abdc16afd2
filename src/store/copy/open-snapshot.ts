import type { StatementLimits } from '../../base/database-url.ts';
import { openOnPostgres } from './postgres-snapshot.ts';
import type { Snapshot } from './snapshot.ts';
import { openOnSqlite } from './sqlite-snapshot.ts';

export type SnapshotOptions = { folder: string; url: string | undefined; statementLimits: StatementLimits };

export const openSnapshot = ({ folder, url, statementLimits }: SnapshotOptions): Promise<Snapshot> =>
  url === undefined ? openOnSqlite(folder) : openOnPostgres(url, statementLimits);
