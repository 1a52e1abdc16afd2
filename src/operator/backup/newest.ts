import type { CopiedRow, CopiedTable } from '../../store/copy/columns.ts';
import type { Copy, Piece } from '../../store/copy/load.ts';

/** A line of the list. What was removed after the copy is back, so the operator compares it with what they know. */
export type Noted = { organizationId: string; id: string; name: string; createdAt: string };

/** As of the copy: the newest of each kind, and the quorum of the root organization. */
export type AsOf = { credentials: Noted[]; policies: Noted[]; rootQuorum: { threshold: number; userIds: string[] } | null };

const MOST = 10;

type Row = Readonly<Record<string, string | number | null>>;

const rowOf = ({ columns }: CopiedTable, row: CopiedRow): Row => Object.fromEntries(columns.map(([name], i) => [name, row[i]!]));

/** Keeps the newest rows of those that it is given. */
function newest() {
  let kept: Row[] = [];
  const byAge = () => kept.sort((a, b) => Number(b.created_at) - Number(a.created_at)).slice(0, MOST);
  return {
    add(row: Row): void {
      kept.push(row);
      if (kept.length >= 100 * MOST) kept = byAge();
    },
    list: (): Noted[] =>
      byAge().map(({ organization_id, id, name, created_at }) => ({
        organizationId: String(organization_id),
        id: String(id),
        name: String(name),
        createdAt: new Date(Number(created_at)).toISOString(),
      })),
  };
}

/** The same copy. When it was read, `asOf` has what an operator should look at. `rootId`: the root organization. */
export function noticing(copy: Copy, rootId: string): { copy: Copy; asOf(): AsOf } {
  const credentials = newest();
  const policies = newest();
  let rootQuorum: AsOf['rootQuorum'] = null;

  function notice(table: CopiedTable, values: CopiedRow): void {
    const row = rowOf(table, values);
    if (table.name === 'credentials' || table.name === 'authenticators') credentials.add(row);
    else if (table.name === 'policies') policies.add(row);
    else if (row.id === rootId) rootQuorum = JSON.parse(String(row.root_quorum));
  }

  const WATCHED = new Set(['credentials', 'authenticators', 'policies', 'organizations']);
  async function* pieces(): AsyncGenerator<Piece> {
    let table: CopiedTable | undefined;
    for await (const piece of copy.pieces) {
      if ('table' in piece) table = WATCHED.has(piece.table.name) ? piece.table : undefined;
      else if (table !== undefined) notice(table, piece.row);
      yield piece;
    }
  }
  return {
    copy: { ...copy, pieces: pieces() },
    asOf: () => ({ credentials: credentials.list(), policies: policies.list(), rootQuorum }),
  };
}
