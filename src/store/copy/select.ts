import type { CopiedTable } from './columns.ts';

/** Tables whose rows have a place in an order: `src/store/position.ts`. */
export const ORDERED: ReadonlySet<string> = new Set(['activities', 'audit']);

/** All rows, or the `newest` ones. Only the order of positions matters. */
export function selectOf({ name, columns }: CopiedTable, where = '', newest?: number): string {
  const list = columns.map(([column]) => `"${column}"`).join(', ');
  const order = !ORDERED.has(name) ? '' : ` ORDER BY "position"${newest === undefined ? '' : ` DESC LIMIT ${newest}`}`;
  return `SELECT ${list} FROM "${name}"${where}${order}`;
}
