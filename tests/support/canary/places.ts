import { globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import type { Client } from '../client.ts';
import type { Place } from './encodings.ts';

/** Every file of the service, the write-ahead log among them. */
export const files = (folder: string): Place[] =>
  globSync('**/*', { cwd: folder })
    .filter((name) => statSync(join(folder, name)).isFile())
    .map((name) => ({ name: `file ${name}`, bytes: readFileSync(join(folder, name)) }));

const TABLES = `SELECT c.relname AS name FROM pg_class c
  WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition`;

/** Every row of every table of PostgreSQL as text, in which bytes are hex. */
export async function tables(url: string): Promise<Place[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const places: Place[] = [];
    for (const { name } of (await client.query(TABLES)).rows) {
      const { rows } = await client.query(`SELECT t::text AS row FROM "${name}" t`);
      places.push({ name: `table ${name}`, bytes: Buffer.from(rows.map(({ row }) => row).join('\n')) });
    }
    return places;
  } finally {
    await client.end();
  }
}

/** A query of the service, and the members that it needs. `pages`: it answers with a page, of which the longest is wanted. */
export type Question = { name: string; needs: readonly string[]; pages: boolean };

/** Of each member, how many values are asked for. */
const VALUES = 100;

const PAGE = { paginationOptions: { limit: '100' } };

/**
 * Everything that a reader is told: asks each query, with the ids that the answers before had, until there are no new ones.
 */
export async function answers(
  reader: Client,
  organizationIds: readonly string[],
  questions: readonly Question[],
): Promise<Place[]> {
  const known = new Map<string, Set<string>>();
  const asked = new Map<string, Place>();
  const learn = (value: unknown, name = ''): void => {
    if (Array.isArray(value)) for (const one of value) learn(one, name.replace(/ies$/, 'y').replace(/s$/, ''));
    else if (typeof value === 'object' && value !== null) {
      for (const [member, below] of Object.entries(value)) learn(below, member === 'id' ? `${name}Id` : member);
    } else if (typeof value === 'string' && /(?:Id|email)$/i.test(name))
      known.set(name, (known.get(name) ?? new Set()).add(value));
  };
  const optionsOf = (member: string): string[] => [...(known.get(member) ?? [])].slice(0, VALUES);
  for (let before = -1; before !== asked.size; ) {
    before = asked.size;
    for (const organizationId of organizationIds)
      for (const { name, needs, pages } of questions)
        for (const parameters of combinations(needs, optionsOf)) {
          const key = `${organizationId} ${name} ${JSON.stringify(parameters)}`;
          if (asked.has(key)) continue;
          const answer = await reader.as(reader.keys, organizationId).query(name, { ...(pages ? PAGE : {}), ...parameters });
          asked.set(key, { name: `${name} ${answer.status}`, bytes: Buffer.from(answer.text) });
          learn(answer.body);
        }
  }
  return [...asked.values()];
}

function combinations(needs: readonly string[], optionsOf: (member: string) => string[]): Record<string, string>[] {
  return needs.reduce<Record<string, string>[]>(
    (all, member) => all.flatMap((some) => optionsOf(member).map((value) => ({ ...some, [member]: value }))),
    [{}],
  );
}
