import { ApiError, type ErrorCode, textOf } from '../../../src/base/errors.ts';
import { json, refTo, type Schema } from './shapes.ts';

/** What every stamped request may be answered, whatever its operation. */
export const ALWAYS: readonly ErrorCode[] = [
  'REQUEST_INVALID',
  'BODY_TOO_LARGE',
  'ORGANIZATION_NOT_FOUND',
  'INVALID_ORGANIZATION_ID',
  'ORGANIZATION_MISMATCH',
  'SIGNATURE_MISSING',
  'SIGNATURE_INVALID',
  'PUBLIC_KEY_NOT_FOUND',
  'CREDENTIAL_NOT_FOUND',
  'CREDENTIAL_CONFLICT',
  'API_KEY_EXPIRED',
  'UNAUTHENTICATED',
  'FORBIDDEN',
  'REQUEST_NOT_AUTHORIZED',
  'VELOCITY_CONTROL_EXCEEDED',
  'VELOCITY_NOT_READABLE',
  'FROZEN',
  'RATE_LIMIT_EXCEEDED',
];

export const FAILED: readonly ErrorCode[] = ['INTERNAL', 'UNAVAILABLE', 'NO_SPACE'];

const line = (code: ErrorCode): string => `- \`${code}\` (${new ApiError(code).http}): ${textOf(code)}`;
const listed = (codes: readonly ErrorCode[]): string => codes.map(line).join('\n');

const refused = (description: string): Schema => ({ description, ...json(refTo('Error')) });

/** The answers of an operation besides the good one: its own refusals by status, then those of all. */
export function refusals(own: readonly ErrorCode[]): Schema {
  const byStatus = Map.groupBy(own.toSorted(), (code) => new ApiError(code).http);
  const responses = [...byStatus].map(([status, codes]) => [String(status), refused(listed(codes))] as const);
  return {
    ...Object.fromEntries(responses.toSorted(([a], [b]) => (a < b ? -1 : 1))),
    '4XX': { $ref: '#/components/responses/Refused' },
    default: { $ref: '#/components/responses/Failed' },
  };
}

const CODES = 'The code is in `turnkeyErrorCode` of the details, or in `code` of our own entry if it has one.';

export const RESPONSES = {
  Refused: refused(`Refused, and nothing was changed. ${CODES} Every operation may answer these:\n\n${listed(ALWAYS)}`),
  Failed: refused(`The service could not do its work. Send the same body again: it runs at most once.\n\n${listed(FAILED)}`),
};

const TYPES = {
  TurnkeyErrorDetail: 'type.googleapis.com/errors.v1.TurnkeyErrorDetail',
  BadRequest: 'type.googleapis.com/google.rpc.BadRequest',
};

export const ERROR_SCHEMAS: Record<string, Schema> = {
  Error: {
    type: 'object',
    required: ['code', 'message', 'details'],
    properties: {
      code: { type: 'integer' },
      message: { type: 'string' },
      details: { type: 'array', items: refTo('ErrorDetail') },
    },
    example: {
      code: 3,
      message: 'bad request body: parameters.walletName: must not be empty',
      details: [
        { '@type': TYPES.TurnkeyErrorDetail, turnkeyErrorCode: 'REQUEST_INVALID' },
        { '@type': TYPES.BadRequest, fieldViolations: [{ field: 'parameters.walletName', description: 'must not be empty' }] },
      ],
    },
  },
  ErrorDetail: {
    type: 'object',
    required: ['@type'],
    properties: {
      '@type': { type: 'string' },
      turnkeyErrorCode: { type: 'string' },
      fieldViolations: {
        type: 'array',
        items: {
          type: 'object',
          required: ['field', 'description'],
          properties: { field: { type: 'string' }, description: { type: 'string' } },
        },
      },
      message: { type: 'string' },
      policyEvaluations: {
        type: 'array',
        items: {
          type: 'object',
          required: ['policyId', 'outcome'],
          properties: { policyId: { type: 'string' }, outcome: { type: 'string' } },
        },
      },
      code: { type: 'string' },
      activityId: { type: 'string' },
      velocityControlId: { type: 'string', format: 'uuid' },
      identifier: { type: 'string' },
      bucket: { type: 'string' },
      asked: { type: 'string' },
      left: { type: 'string' },
      threshold: { type: 'string' },
      roomAt: { type: 'string', format: 'date-time' },
      window: {
        type: 'object',
        properties: {
          rolling: { type: 'object', required: ['duration'], properties: { duration: { type: 'string' } } },
          infinite: { type: 'object' },
          calendar: {
            type: 'object',
            required: ['unit', 'zone'],
            properties: { unit: { type: 'string' }, zone: { type: 'string' } },
          },
          transaction: { type: 'object' },
        },
      },
      unreadable: { type: 'string' },
    },
  },
};
