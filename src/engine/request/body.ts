import type { z } from 'zod';
import { ApiError, type ErrorCode, invalid } from '../../base/errors.ts';
import { UUID } from '../../base/ids.ts';
import { fieldName, issueText } from '../../base/issue-text.ts';
import { dropNulls, isObject, type Json, parseJson } from '../../base/json.ts';
import { inDeclaredNames } from './declared-names.ts';
import { Envelope } from './envelope.ts';

const LIMITS = { depth: 64, keys: 50_000, storable: true } as const;

type Members = { [key: string]: Json };

/** A request body, checked to be one JSON object within bounds; null members are absent. */
export function parseBody(bytes: Buffer): Members {
  if (bytes.length === 0) throw new ApiError('REQUEST_INVALID', 'bad request body: it is empty');
  const parsed = parseJson(bytes, LIMITS);
  if ('error' in parsed) throw new ApiError('REQUEST_INVALID', `bad request body: ${parsed.error}`);
  const value = parsed.value;
  if (!isObject(value)) {
    throw new ApiError('REQUEST_INVALID', 'bad request body: it must be a JSON object');
  }
  return bytes.includes('null') ? (dropNulls(value) as Members) : value;
}

/** The organization that the body names, lower-cased. */
export const organizationIdOf = (body: Members): string => checkedId(inDeclaredNames(Envelope, body, '').organizationId);

function checkedId(id: Json | undefined): string {
  if (typeof id !== 'string' || !UUID.test(id)) {
    throw new ApiError('INVALID_ORGANIZATION_ID', undefined, {
      violations: [{ field: 'organizationId', description: 'must be a UUID' }],
    });
  }
  return id.toLowerCase();
}

export type SubmitBody = {
  type: string;
  /** As sent. */
  timestampMs: string;
  organizationId: string;
  parameters: Members;
  generateAppProofs: boolean;
};

/** `stored`: the body was accepted, perhaps by an older program that read only declared names. */
export function submitBody(body: Members, { stored = false } = {}): SubmitBody {
  const members = inDeclaredNames(Envelope, body, '', stored ? 'declared name' : 'refused');
  const { type, timestampMs, parameters, generateAppProofs = false } = members;
  if (typeof type !== 'string') throw invalid('type', 'must be an activity type');
  if (typeof timestampMs !== 'string' || !/^\d{1,19}$/.test(timestampMs)) {
    throw invalid('timestampMs', 'must be a decimal string: milliseconds since the epoch');
  }
  const organizationId = checkedId(members.organizationId);
  if (!isObject(parameters)) throw invalid('parameters', 'must be an object');
  // Some clients copy it into the parameters as well.
  delete parameters.generateAppProofs;
  delete parameters.generate_app_proofs;
  if (typeof generateAppProofs !== 'boolean') throw invalid('generateAppProofs', 'must be a boolean');
  return { type, timestampMs, organizationId, parameters, generateAppProofs };
}

const SHOWN_VIOLATIONS = 20;

/** Validates with a schema, whose names may be spelled in snake_case. The error names every wrong field, as it is declared. */
export const validate = <S extends z.ZodType>(schema: S, sent: unknown, root: string): z.output<S> =>
  validated(schema, inDeclaredNames(schema, sent, root), root);

function validated<S extends z.ZodType>(schema: S, value: unknown, root: string): z.output<S> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issues = schema.safeParse(value, { reportInput: true }).error!.issues.slice(0, SHOWN_VIOLATIONS);
  const violations = issues
    .flatMap((issue) =>
      issue.code === 'unrecognized_keys'
        ? issue.keys.map((key) => ({
            field: fieldName(root, [...issue.path, key]),
            description: 'is not a known member',
          }))
        : { field: fieldName(root, issue.path), description: issueText(issue) },
    )
    .slice(0, SHOWN_VIOLATIONS);
  const text = violations.map((v) => `${v.field}: ${v.description}`).join('; ');
  const code = issues[0]?.code === 'custom' ? (issues[0].params?.code as ErrorCode | undefined) : undefined;
  throw new ApiError(code ?? 'REQUEST_INVALID', `bad request body: ${text}`, { violations });
}

/**
 * The same for a stored value, perhaps accepted by an older program. Members that are refused today are ignored, as they were
 * then.
 */
export function validateStored<S extends z.ZodType>(schema: S, stored: unknown, root: string): z.output<S> {
  const value = inDeclaredNames(schema, stored, root, 'declared name');
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const known = structuredClone(value);
  for (const issue of parsed.error.issues) {
    if (issue.code !== 'unrecognized_keys') continue;
    let at = known as Record<PropertyKey, unknown>;
    for (const part of issue.path) at = at[part] as Record<PropertyKey, unknown>;
    for (const key of issue.keys) delete at[key];
  }
  return validated(schema, known, root);
}
