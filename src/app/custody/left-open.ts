import type { EngineName } from '../../store/columns.ts';
import { SEALED_PLACES, type SealedPlace } from '../../store/sealed/places.ts';
import type { SealedRow, SealedRows } from '../../store/sealed/rows.ts';

/** What a rotation does not seal anew, and why. The version stays open for it. */
export type LeftOpen = { version: number; table: string; rows: number; why: string };

export const DO_NOT_OPEN = 'they do not open: they were changed, or moved from another row';
export const ARCHIVE_IS_READ = 'the archive of SQLite is a file that the service only reads';
const UNKNOWN = 'they are not sealed anew so far, or do not open';

/** Whether the rows of a place stay as they are. */
export const stays = (place: SealedPlace, engine: EngineName): boolean => place.archived === true && engine === 'sqlite';

type Seen = { sealed: Pick<SealedRows, 'page'>; engine: EngineName };

/**
 * The secrets under a version that a rotation would seal anew, and those that keep it open. Read-only. `opens`: whether a secret opens.
 * Without it, no key is here to try.
 */
export async function survey(
  { sealed, engine }: Seen,
  version: number,
  opens?: (row: SealedRow) => boolean,
): Promise<{ secrets: number; leftOpen: LeftOpen[] }> {
  let secrets = 0;
  const leftOpen: LeftOpen[] = [];
  for (const place of SEALED_PLACES) {
    const isArchive = stays(place, engine);
    let rows = 0;
    let after: readonly unknown[] | undefined;
    do {
      const page = await sealed.page(place, version, after);
      const found = page?.rows ?? [];
      const left = isArchive || opens === undefined ? found.length : found.filter((row) => !opens(row)).length;
      rows += left;
      secrets += found.length - left;
      after = page?.after;
    } while (after !== undefined);
    const why = isArchive ? ARCHIVE_IS_READ : opens === undefined ? UNKNOWN : DO_NOT_OPEN;
    if (rows > 0) leftOpen.push({ version, table: place.table.name, rows, why });
  }
  return { secrets, leftOpen };
}
