/** What the command line says about each operation: its group, its parameters in rows, and an example. */
import { globSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { z } from 'zod';
import { choices, kindOf } from '../../reference/build/kinds.ts';
import { VELOCITY_CODES } from '../../src/base/errors.ts';
import type { OperationHelp } from '../../src/cli/operation-help.ts';
import type { ActivityKind } from '../../src/engine/activity/declare.ts';
import type { QueryKind } from '../../src/engine/query/declare.ts';
import { samples } from '../../tests/support/all-samples.ts';
import type { Schema } from './openapi/shapes.ts';

const ROOT = new URL('../../', import.meta.url);
const DEEPEST = 6;

/** Each operation is a file of its own, named by its kind, in the folder of its group. */
const groups = new Map(
  globSync('src/{activities,queries}/*/*.ts', { cwd: ROOT }).map((file) => [basename(file, '.ts'), basename(dirname(file))]),
);

function groupOf(kind: string): string {
  const group = groups.get(kind.toLowerCase().replaceAll('_', '-'));
  if (group === undefined) throw new Error(`${kind} has no file of its own`);
  return group;
}

/** Inline: the documents give names to shapes in the registry that is used without this one. */
const NO_NAMES = z.registry<{ id?: string }>();
const schemaOf = (shape: z.ZodType): Schema =>
  z.toJSONSchema(shape, { io: 'input', unrepresentable: 'any', metadata: NO_NAMES }) as Schema;

/** Where the members of a value are described. */
function inside(schema: Schema): Schema[] {
  if (schema.type === 'array') return inside((schema.items ?? {}) as Schema);
  const some = choices(schema);
  return some.length > 0 ? some.flatMap(inside) : [schema];
}

function rowsOf(schema: Schema, depth = 0): [string, string][] {
  if (depth > DEEPEST) return [];
  const seen = new Set<string>();
  return inside(schema).flatMap(({ properties = {}, required = [] }) =>
    Object.entries(properties as Record<string, Schema>).flatMap(([name, member]): [string, string][] => {
      if (seen.has(name)) return [];
      seen.add(name);
      const star = (required as string[]).includes(name) ? '*' : '';
      const about = typeof member.description === 'string' ? `. ${member.description}` : '';
      return [[`${'  '.repeat(depth)}${name}${star}`, `${kindOf(member)}${about}`], ...rowsOf(member, depth + 1)];
    }),
  );
}

/** The generator of P-256. */
const POINT = '036b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296';

/** Samples have keys and passkeys of their own each time. Examples have the same ones, so that the file stays the same. */
const exampleOf = (kind: string): object =>
  JSON.parse(
    JSON.stringify(samples(kind))
      .replace(/0[23][0-9a-f]{64}(?![0-9a-f])/g, POINT)
      .replace(/"key [0-9a-f]{8}"/g, '"laptop"')
      .replace(/"(challenge|credentialId|clientDataJson|attestationObject)":"[^"]*"/g, '"$1":"AAAA"')
      .replace(/"signature":"[0-9a-f]{128}"/g, `"signature":"${'0'.repeat(128)}"`),
  );

const ofActivity = (kind: ActivityKind): OperationHelp => {
  const versions = [...kind.versions.values()];
  return {
    command: 'submit',
    name: basename(kind.path),
    group: groupOf(kind.kind),
    summary: kind.summary,
    // Limits over time refuse each kind that signs, besides what it declares.
    refusals: [...kind.errors, ...(kind.takes === undefined ? [] : VELOCITY_CODES)],
    parameters: rowsOf(schemaOf(kind.params.schema(versions.at(-1)!.version))),
    example: exampleOf(kind.kind),
  };
};

const ofQuery = (kind: QueryKind): OperationHelp => ({
  command: 'query',
  name: kind.name,
  group: groupOf(kind.name),
  summary: kind.summary,
  refusals: [...kind.errors],
  // --organization sets it.
  parameters: rowsOf(schemaOf(kind.params)).filter(([name]) => !/^organizationId\*?$/.test(name)),
  example: exampleOf(kind.name),
});

const order = (a: OperationHelp, b: OperationHelp): number =>
  a.group === b.group ? (a.name < b.name ? -1 : 1) : a.group < b.group ? -1 : 1;

/** One operation on each line. */
export function operationsHelp(activities: readonly ActivityKind[], queries: readonly QueryKind[]): string {
  const all = [...activities.map(ofActivity), ...queries.map(ofQuery)].sort(order);
  return `[\n${all.map((each) => JSON.stringify(each)).join(',\n')}\n]\n`;
}
