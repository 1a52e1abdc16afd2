import { int, text } from '../columns.ts';
import { table } from '../table.ts';

/** Work that one process of a database does at a time, by name. */
export const leases = table('leases', { name: text(), owner: text(), leaseUntil: int() });
