import { VERSION } from '../../../src/base/version.ts';
import type { ActivityKind, ActivityVersion } from '../../../src/engine/activity/declare.ts';
import type { QueryKind } from '../../../src/engine/query/declare.ts';
import { Activity } from '../../../src/wire/activities.ts';
import { describe } from './describe.ts';
import { ERROR_SCHEMAS, RESPONSES, refusals } from './errors.ts';
import { examplesOf } from './examples.ts';
import { aboutParameters, aboutResult } from './members.ts';
import { joined, upper } from './names.ts';
import { json, refTo, type Schema, Shapes } from './shapes.ts';
import { BY_API_KEY, BY_ATTESTATION, BY_PASSKEY, BY_SESSION, markdownOf } from './stamps.ts';
import { QUERY, TAGS, tagOf } from './tags.ts';

/** Any one of them. */
const STAMPED = [{ stamp: [] }, { passkey: [] }, { attested: [] }];
const ASKED = [...STAMPED, { session: [] }];
const BY_NEWCOMER = [{ passkey: [] }];

export const LICENSE = { name: 'Apache-2.0', identifier: 'Apache-2.0' };

export const SERVERS = [
  {
    url: '{base}',
    description: 'Your own service',
    variables: {
      base: { default: 'http://localhost:8080', description: 'Where the service listens, without a slash at the end' },
    },
  },
];

const code = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ');

/** What a caller cannot read from the shapes. */
function aboutActivity(kind: ActivityKind): string {
  const [newest, ...older] = [...kind.versions.values()].reverse();
  const lines = [`The newest version is \`${newest!.type}\`. Its result is \`result.${newest!.result.key}\`.`];
  const aliases = Object.keys(kind.aliases ?? {});
  if (aliases.length > 0) lines.push(`Some clients spell the type ${code(aliases)}, which is accepted too.`);
  if (older.length > 0) lines.push(`Older versions stay valid: ${code(older.map(({ type }) => type))}.`);
  if (kind.votes !== undefined) lines.push('It is a vote on another activity, and needs no permission of its own.');
  else if (kind.governedBy === 'root-quorum') lines.push('Only the root quorum may run it: no policy can allow it to others.');
  else if (kind.resource !== '')
    lines.push(`Policies know it by \`activity.resource == '${kind.resource}'\` and \`activity.action == '${kind.action}'\`.`);
  if (kind.submitters.from === 'newcomer')
    lines.push('A person without a credential sends it: the passkey in its parameters stamps it.');
  if (kind.secrets.length > 0) lines.push(`Only its sender is ever shown these parameters again: ${code(kind.secrets)}.`);
  if (kind.resultSecrets.length > 0) lines.push(`Only its sender is shown these results: ${code(kind.resultSecrets)}.`);
  if (!kind.writes) lines.push('It changes nothing besides the record.');
  return lines.join(' ');
}

function requestOf(shapes: Shapes, kind: ActivityKind, version: ActivityVersion, isNewest: boolean): Schema {
  const name = `${joined(kind.path.split('/').at(-1)!)}Request${version.version === 1 ? '' : `V${version.version}`}`;
  const parameters = shapes.of(kind.params.schema(version.version), 'input', upper(version.intentKey));
  shapes.add(name, {
    title: version.type,
    type: 'object',
    ...(isNewest ? {} : { deprecated: true, description: 'An older version, which stays valid. New clients send the newest.' }),
    required: ['type', 'timestampMs', 'organizationId', 'parameters'],
    properties: {
      type: { const: version.type },
      timestampMs: { type: 'string', pattern: '^\\d+$' },
      organizationId: { type: 'string', format: 'uuid' },
      parameters: { ...parameters, description: aboutParameters(kind.summary, shapes.at(parameters)) },
      generateAppProofs: { type: 'boolean' },
    },
  });
  return refTo(name);
}

function answerOf(shapes: Shapes, kind: ActivityKind): Schema {
  const results = [...kind.versions.values()].reverse().map(({ type, result }) => {
    const shape = shapes.of(result.shape, 'output', upper(result.key));
    return [result.key, { ...shape, description: aboutResult(kind.summary, type, shapes.at(shape)) }] as const;
  });
  const again = {
    type: 'object',
    description: 'The activity once more, with times in RFC 3339, for clients that look for it here.',
  };
  // The answer to a vote is the activity that was voted on, which has a result of its own.
  const others = kind.votes === undefined ? {} : { additionalProperties: { type: 'object' } };
  const result = { type: 'object', properties: { ...Object.fromEntries(results), activity: again }, ...others };
  const name = `${joined(kind.path.split('/').at(-1)!)}Response`;
  shapes.add(name, {
    type: 'object',
    required: ['activity'],
    properties: { activity: { allOf: [refTo('SubmittedActivity'), { type: 'object', properties: { result } }] } },
  });
  return refTo(name);
}

function submitOperation(shapes: Shapes, kind: ActivityKind): Schema {
  const versions = [...kind.versions.values()].reverse();
  const requests = versions.map((version, at) => requestOf(shapes, kind, version, at === 0));
  const examples = examplesOf(versions.map(({ type }) => type));
  return {
    operationId: kind.path.split('/').at(-1),
    summary: kind.summary,
    description: aboutActivity(kind),
    tags: [tagOf(kind)],
    security: kind.submitters.from === 'newcomer' ? BY_NEWCOMER : STAMPED,
    requestBody: { required: true, ...json(requests.length === 1 ? requests[0]! : { oneOf: requests }, examples.requests) },
    responses: {
      200: {
        description: 'The activity, as it is now: completed, failed, or waiting for votes.',
        ...json(answerOf(shapes, kind), examples.answers),
      },
      ...refusals(kind.errors),
    },
  };
}

function queryOperation(shapes: Shapes, kind: QueryKind): Schema {
  const name = joined(kind.name);
  const { requests, answers } = examplesOf([kind.name]);
  const found = kind.findsOwnSubOrganization ? ' It may name the parent: then the caller’s own sub-organization is read.' : '';
  const deleted = kind.readsDeleted ? ' Users of the parent may also read a deleted sub-organization.' : '';
  return {
    operationId: kind.name,
    summary: kind.summary,
    description: `Reads the organization that the body names, and changes nothing. Users may read their own organization and those below it.${found}${deleted}`,
    tags: [QUERY],
    security: ASKED,
    requestBody: { required: true, ...json(shapes.of(kind.params, 'input', `${name}Request`), requests) },
    responses: {
      200: { description: 'What was asked for.', ...json(shapes.of(kind.result, 'output', `${name}Response`), answers) },
      ...refusals(kind.errors),
    },
  };
}

/** The form of an activity in the answer to its request, which has a member more than in queries. */
function submitted(activity: Schema): Schema {
  return { ...activity, properties: { ...(activity.properties as Schema), timestampMs: { type: 'string' } } };
}

const scheme = (name: string, description: string) => ({ type: 'apiKey', in: 'header', name, description });

/** The API document (OpenAPI 3.1), generated only from the lists. */
export function openapi(activities: readonly ActivityKind[], queries: readonly QueryKind[]): Schema {
  const shapes = new Shapes();
  const paths: Record<string, Schema> = {};
  for (const kind of activities) paths[kind.path] = { post: submitOperation(shapes, kind) };
  for (const kind of queries) paths[kind.path] = { post: queryOperation(shapes, kind) };
  shapes.of(Activity, 'output', 'Activity');
  shapes.add('SubmittedActivity', submitted(shapes.schemas.Activity!));
  for (const [name, schema] of Object.entries(ERROR_SCHEMAS)) shapes.add(name, schema);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Countersign',
      version: VERSION,
      license: LICENSE,
      description:
        'Organizations, keys, policies and signing. Every change is an activity. Every request is stamped over its raw body. Names of ' +
        'members in requests may also be in snake_case: organization_id.',
    },
    servers: SERVERS,
    tags: TAGS,
    paths: Object.fromEntries(Object.entries(paths).sort(([a], [b]) => (a < b ? -1 : 1))),
    components: {
      securitySchemes: {
        stamp: scheme('X-Stamp', markdownOf(BY_API_KEY)),
        passkey: scheme('X-Stamp-WebAuthn', markdownOf(BY_PASSKEY)),
        attested: scheme('X-Stamp-Attested', markdownOf(BY_ATTESTATION)),
        session: scheme('X-Session', markdownOf(BY_SESSION)),
      },
      schemas: describe(shapes.schemas),
      responses: RESPONSES,
    },
  };
}
