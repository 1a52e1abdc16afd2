import { VERSION } from '../../base/version.ts';
import type { ActivityKind } from '../../engine/activity/declare.ts';
import type { QueryKind } from '../../engine/query/declare.ts';
import { Activity } from '../../wire/activities.ts';
import { ERROR, json, type Schema, schemaOf } from './schemas.ts';
import { BY_API_KEY, BY_ATTESTATION, BY_PASSKEY, BY_SESSION, markdownOf } from './stamps.ts';

/** Any one of them. */
const STAMPED = [{ stamp: [] }, { passkey: [] }, { attested: [] }];
const ASKED = [...STAMPED, { session: [] }];
const BY_NEWCOMER = [{ passkey: [] }];

const errorResponse = { $ref: '#/components/responses/Error' };

function submitOperation(kind: ActivityKind): Schema {
  const versions = [...kind.versions.values()];
  const about = kind.resource === '' ? '' : `: resource ${kind.resource}, action ${kind.action}`;
  const refusals = kind.errors.length === 0 ? '' : ` May refuse with ${kind.errors.join(', ')}.`;
  return {
    operationId: kind.path.split('/').at(-1),
    summary: kind.summary,
    description: `Activity ${kind.kind}${about}.${refusals}`,
    tags: [kind.resource || (kind.votes === undefined ? 'ORGANIZATION' : 'ACTIVITY')],
    security: kind.submitters.from === 'newcomer' ? BY_NEWCOMER : STAMPED,
    requestBody: {
      required: true,
      ...json({
        oneOf: versions.map((version) => ({
          type: 'object',
          required: ['type', 'timestampMs', 'organizationId', 'parameters'],
          properties: {
            type: { const: version.type },
            timestampMs: { type: 'string', description: 'Milliseconds since the epoch' },
            organizationId: { type: 'string', format: 'uuid' },
            parameters: schemaOf(kind.params.schema(version.version), 'input'),
            generateAppProofs: { type: 'boolean' },
          },
        })),
      }),
    },
    responses: {
      200: {
        description: `The activity. intent: ${versions.map((v) => v.intentKey).join(' or ')}; result: ${versions.map((v) => v.result.key).join(' or ')}`,
        ...json({
          type: 'object',
          required: ['activity'],
          properties: {
            activity: {
              allOf: [
                { $ref: '#/components/schemas/Activity' },
                {
                  type: 'object',
                  properties: {
                    timestampMs: { type: 'string' },
                    result: {
                      type: 'object',
                      properties: Object.fromEntries(versions.map((v) => [v.result.key, schemaOf(v.result.shape, 'output')])),
                    },
                  },
                },
              ],
            },
          },
        }),
      },
      default: errorResponse,
    },
  };
}

function queryOperation(kind: QueryKind): Schema {
  return {
    operationId: kind.name,
    summary: kind.summary,
    tags: ['QUERY'],
    security: ASKED,
    requestBody: { required: true, ...json(schemaOf(kind.params, 'input')) },
    responses: { 200: { description: 'The answer', ...json(schemaOf(kind.result, 'output')) }, default: errorResponse },
  };
}

/** The API document (OpenAPI 3.1), generated only from the lists. */
export function openapi(activities: readonly ActivityKind[], queries: readonly QueryKind[]): Schema {
  const paths: Record<string, Schema> = {};
  for (const kind of activities) paths[kind.path] = { post: submitOperation(kind) };
  for (const kind of queries) paths[kind.path] = { post: queryOperation(kind) };
  return {
    openapi: '3.1.0',
    info: {
      title: 'Countersign',
      version: VERSION,
      description:
        'Organizations, keys, policies and signing. Every change is an activity. Every request is stamped over its raw body. Names of ' +
        'members in requests may also be in snake_case: organization_id.',
    },
    paths: Object.fromEntries(Object.entries(paths).sort(([a], [b]) => (a < b ? -1 : 1))),
    components: {
      securitySchemes: {
        stamp: {
          type: 'apiKey',
          in: 'header',
          name: 'X-Stamp',
          description: markdownOf(BY_API_KEY),
        },
        passkey: { type: 'apiKey', in: 'header', name: 'X-Stamp-WebAuthn', description: markdownOf(BY_PASSKEY) },
        attested: { type: 'apiKey', in: 'header', name: 'X-Stamp-Attested', description: markdownOf(BY_ATTESTATION) },
        session: { type: 'apiKey', in: 'header', name: 'X-Session', description: markdownOf(BY_SESSION) },
      },
      schemas: {
        Activity: schemaOf(Activity, 'output'),
        ...ERROR.schemas,
      },
      responses: ERROR.responses,
    },
  };
}
