import { ApiError } from '../../base/errors.ts';
import { isObject, parseJson } from '../../base/json.ts';
import type { Provider } from './providers.ts';

/** A provider's answer, and its text if that was read. */
export type Answer = { status: number; body: Buffer };

const LIMITS = { depth: 16, keys: 1000 } as const;

/** A token of RFC 6750, section 2.1, as it is sent in a header: short enough for a credential bundle. */
const BEARER = /^[A-Za-z0-9\-._~+/]{1,1900}={0,2}$/;

const USER_ID = /^\d{1,20}$/;

/** Errors of RFC 6749, section 5.2, that concern the application, not the code. */
const OF_CLIENT: readonly unknown[] = ['invalid_client', 'unauthorized_client'];

/** Errors that concern the code, or its parameters. Providers use the second one for the first. */
const OF_CODE: readonly unknown[] = ['invalid_grant', 'invalid_request'];

const refused = (message: string) => new ApiError('REQUEST_INVALID', message);

function objectIn(body: Buffer): Record<string, unknown> | undefined {
  const parsed = parseJson(body, LIMITS);
  return 'value' in parsed && isObject(parsed.value) ? parsed.value : undefined;
}

/** Why a provider gave no token. Only the status of its answer is repeated: the rest may contain data that was sent. */
export function tokenRefusal({ title }: Provider, { status, body }: Answer): ApiError {
  const error = objectIn(body)?.error;
  if (OF_CLIENT.includes(error)) return new ApiError('OAUTH2_PROVIDER_NOT_CONFIGURED');
  if (OF_CODE.includes(error))
    return refused(
      `${title} rejected the authorization code: it was used before, has expired, or belongs to another redirectUri, codeVerifier or client. Sign in again for a new one`,
    );
  return refused(`${title} returned no token for the authorization code (status ${status})`);
}

/** The access token, or the error in the answer. */
export function tokenIn({ title }: Provider, { body }: Answer): string | ApiError {
  const { access_token, token_type } = objectIn(body) ?? {};
  const isBearer = typeof token_type === 'string' && token_type.toLowerCase() === 'bearer';
  if (typeof access_token === 'string' && isBearer && BEARER.test(access_token)) return access_token;
  return refused(`${title} answered without a bearer token`);
}

/** The id of the token's user, or the error in the answer. */
export function userIn({ title, id, scopes }: Provider, { status, body }: Answer): string | ApiError {
  if (status === 401 || status === 403)
    return refused(
      `${title} does not let this application read the user (status ${status}): it needs the scopes ${scopes}, and a plan that may read users`,
    );
  let found: unknown = objectIn(body);
  for (const member of id) found = isObject(found) ? found[member] : undefined;
  if (typeof found === 'string' && USER_ID.test(found)) return found;
  return refused(`failed to parse user JSON: missing field ${id.join('.')} in the answer of ${title} (status ${status})`);
}
