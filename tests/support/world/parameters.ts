import type { z } from 'zod';
import type { ActivityKind } from '../../../src/engine/activity/declare.ts';
import type { QueryKind } from '../../../src/engine/query/declare.ts';
import { unknownMembers } from '../../../src/engine/request/unknown-members.ts';
import { sampleFor, samples } from '../all-samples.ts';
import { type Answer, type Client, freshTimestamp, post } from '../client.ts';
import { isFull } from '../full.ts';
import { kindsAt, type Leaf, leavesOf, put, shown, valueAt } from './fields.ts';
import { kindOf, type Things } from './kinds.ts';
import { NEWCOMER, RECOVERY_KEYS, RUNS } from './runs.ts';

/** One version of an activity, or a query. */
export type Operation = {
  /** A kind, or a query's name. */
  name: string;
  /** The type of this version, or the query's name. */
  type: string;
  path: string;
  schema: z.ZodType;
  kind: ActivityKind | undefined;
};

export const versionsOf = (kind: ActivityKind): Operation[] =>
  [...kind.versions].map(([type, { version }]) => {
    return { name: kind.kind, type, path: kind.path, schema: kind.params.schema(version), kind };
  });

/** The newest version in `npm test`, and all of them in `--full`. */
export const versionsAsked = (kind: ActivityKind): Operation[] => (isFull ? versionsOf(kind) : versionsOf(kind).slice(-1));

export const queryOperation = ({ name, path, params }: QueryKind): Operation => {
  return { name, type: name, path, schema: params, kind: undefined };
};

/** Without the organization that a query is sent to. */
export const parameterLeaves = ({ schema, kind }: Operation): Leaf[] =>
  leavesOf(schema).filter(({ path }) => kind !== undefined || shown(path) !== 'organizationId');

/** The sample of a version; without one, the newest version's if it is as good a sample of this one. */
export function sampleOf({ name, type, schema }: Operation): Record<string, unknown> {
  const own = sampleFor(type);
  if (own !== undefined) return own as Record<string, unknown>;
  const newest = samples(name) as Record<string, unknown>;
  if (schema.safeParse(newest).success && unknownMembers(schema, newest, '').length === 0) return newest;
  throw new Error(`${type} has no sample, and the newest version's is none for it: add it, by its whole type, to samples.ts`);
}

/**
 * Parameters with which the root user of the organization completes it: the sample, with what was made there in each field that names
 * something. `but`: a field that stays as it is.
 */
export async function filled(operation: Operation, things: Things, but?: Leaf): Promise<Record<string, unknown>> {
  const parameters = structuredClone(sampleOf(operation));
  const forOneself = operation.kind?.submitters.onlyUser(parameters) !== undefined;
  for (const leaf of parameterLeaves(operation)) {
    const like = valueAt(parameters, leaf.path);
    const [kind] = kindsAt(operation.name, leaf);
    if (typeof like !== 'string' || kind === undefined || shown(leaf.path) === (but && shown(but.path))) continue;
    const { fresh, unknown } = kindOf(kind);
    const own = async () => (forOneself && kind === 'user' ? things.home.userId : things.get(kind));
    // A sample brings a passkey of its own.
    if (kind !== 'credentialId') put(parameters, leaf.path, fresh ? unknown(like) : await own());
  }
  return parameters;
}

/** The same, with what no sample can know. It may make more things in the organization. */
export async function goodParameters(operation: Operation, things: Things, but?: Leaf): Promise<Record<string, unknown>> {
  const parameters = await filled(operation, things, but);
  const run = RUNS[operation.type] ?? RUNS[operation.name];
  return run ? { ...parameters, ...(await run(things)) } : parameters;
}

/** As the client's user, as the newcomer whom the operation is for, or by the recovery key that it needs. `ownKey`: by the client's key alone. */
export function send(
  client: Client,
  { type, path, kind }: Operation,
  parameters: object,
  { ownKey = false } = {},
): Promise<Answer> {
  const { organizationId } = client;
  if (kind === undefined) return client.send(path, JSON.stringify({ organizationId, ...parameters }));
  const body = JSON.stringify({ type, timestampMs: freshTimestamp(), organizationId, parameters });
  if (kind.submitters.from === 'newcomer') return post(`${client.url}${path}`, body, NEWCOMER.stamp(body));
  return (kind.submitters.credential === 'recovery-key' && !ownKey ? client.as(RECOVERY_KEYS) : client).send(path, body);
}
