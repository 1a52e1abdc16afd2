/** What went wrong, in the service's words, and what to do about it. */
import { visible } from '../../../review/visible.ts';
import { REMEDIES } from '../../../src/base/remedies.ts';

/** `status` 0: there was no answer. */
export class ServiceError extends Error {
  readonly status: number;
  readonly code: string;
  readonly requestId: string | undefined;
  /** The record of the refusal. */
  readonly activityId: string | undefined;
  readonly retryAfter: number | undefined;

  constructor(
    status: number,
    code: string,
    message: string,
    more: { requestId?: string | undefined; activityId?: string | undefined; retryAfter?: number | undefined } = {},
  ) {
    super(message);
    this.name = 'ServiceError';
    this.status = status;
    this.code = code;
    this.requestId = more.requestId;
    this.activityId = more.activityId;
    this.retryAfter = more.retryAfter;
  }
}

type Detail = { turnkeyErrorCode?: unknown; code?: unknown; activityId?: unknown };

const text = (value: unknown): string | undefined => (typeof value === 'string' ? visible(value) : undefined);

/** What a refusal says beside its text: the code, and the record of it. */
export function detailsIn(answer: { details?: unknown }): { code: string | undefined; activityId: string | undefined } {
  const { details } = answer;
  const all = (Array.isArray(details) ? details : []).filter((one) => typeof one === 'object' && one !== null) as Detail[];
  // Our own entry is the more exact one.
  const code =
    text(all.find((one) => text(one.code))?.code) ?? text(all.find((one) => text(one.turnkeyErrorCode))?.turnkeyErrorCode);
  return { code, activityId: text(all.find((one) => text(one.activityId))?.activityId) };
}

export function refusalOf({ status, headers }: Response, answer: unknown): ServiceError {
  const said = (answer ?? {}) as { message?: unknown; details?: unknown };
  const { code, activityId } = detailsIn(said);
  return new ServiceError(status, code ?? 'UNSPECIFIED', text(said.message) ?? `the service answered with status ${status}`, {
    requestId: headers.get('x-request-id') ?? undefined,
    activityId,
    retryAfter: Number(headers.get('retry-after')) || undefined,
  });
}

/** Codes after which a session is of no more use. */
const ENDED = new Set([
  'API_KEY_EXPIRED',
  'PUBLIC_KEY_NOT_FOUND',
  'CREDENTIAL_NOT_FOUND',
  'SIGNATURE_INVALID',
  'UNAUTHENTICATED',
]);

export const endsSession = (error: unknown): boolean =>
  error instanceof ServiceError && error.status === 401 && ENDED.has(error.code);

/** Of a session that had time left. */
export const isRemoval = (error: unknown): boolean =>
  error instanceof ServiceError && ['PUBLIC_KEY_NOT_FOUND', 'CREDENTIAL_NOT_FOUND'].includes(error.code);

/** For people at this page. The table of docs/errors.md has the others, for callers. */
const ADVICE: Readonly<Record<string, string>> = {
  NOT_REACHED: 'Check the network, and that the service runs. Then try again.',
  NOT_JSON: 'Tell the operator of the service.',
  ORGANIZATION_NOT_FOUND: 'Check the organization’s id, and that this is the service that has it.',
  INVALID_ORGANIZATION_ID: 'An organization’s id is a UUID, such as 0191f3c2-….',
  PUBLIC_KEY_NOT_FOUND: 'The organization does not know this key: it was deleted, or belongs to another organization.',
  CREDENTIAL_NOT_FOUND: 'The organization does not know this passkey: it was deleted, or belongs to another organization.',
  API_KEY_EXPIRED: 'This key has expired. Sign in again, or ask for a new link.',
  SIGNATURE_INVALID: 'The key or passkey does not fit. Use the one that is registered.',
  REQUEST_NOT_AUTHORIZED: 'A policy forbids it, or none allows it. The decision of the activity on record names it.',
  NOT_FOUND: 'It may be deleted, or in another organization.',
  LIMIT_EXCEEDED: 'Delete some that are not used, or ask the operator for a higher limit.',
  RATE_LIMIT_EXCEEDED: 'Wait a moment, then try again.',
};

const remedies: Readonly<Record<string, string>> = REMEDIES;

/** Without the links to other documents. */
const remedyOf = (code: string): string | undefined =>
  Object.hasOwn(remedies, code) ? remedies[code]!.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('`', '') : undefined;

/** What to do about a code. Undefined where nothing general can be said. */
export const adviceFor = (code: string): string | undefined => ADVICE[code] ?? remedyOf(code);

/** A person can do this. Undefined where nothing general can be said. */
export function adviceOf(error: unknown): string | undefined {
  if (!(error instanceof ServiceError)) return undefined;
  if (error.retryAfter !== undefined) return `Wait ${error.retryAfter} seconds, then try again.`;
  if (error.status >= 500) return 'Try again in a moment. If it stays, tell the operator the request’s id.';
  return adviceFor(error.code);
}
