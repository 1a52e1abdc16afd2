import { ApiError } from '../base/errors.ts';
import { isObject, type Json, parseJson } from '../base/json.ts';
import { type Call, OutboundError, statusMayPass } from '../outbound/types.ts';

export type Answer = Awaited<ReturnType<Call>>;

/** Bounds of an answer's JSON. */
const LIMITS = { depth: 16, keys: 5000 } as const;

/** The reason of a provider in words, if it may be repeated. */
const REASON = /^[\x20-\x7e]{1,200}$/;

const refuses = (title: string) =>
  new ApiError(
    'FIAT_ON_RAMP_NOT_CONFIGURED',
    `${title} does not accept the keys of this organization’s on-ramp credential: update it with UPDATE_FIAT_ON_RAMP_CREDENTIAL`,
  );

function reasonIn(value: Json | undefined, secret: string): string {
  const message = isObject(value) ? value.message : undefined;
  return typeof message === 'string' && REASON.test(message) && !message.includes(secret) ? `: ${message}` : '';
}

/**
 * The JSON of an answer with status 200. The text of a refusal repeats the reason that the provider gives, unless `secret` is in it.
 * Throws REQUEST_INVALID, FIAT_ON_RAMP_NOT_CONFIGURED, and OutboundError for a status that may pass.
 */
export function readAnswer(title: string, { status, body }: Answer, secret: string): Json {
  if (statusMayPass(status)) throw new OutboundError(`${title} answered with status ${status}`, { mayPass: true });
  if (status === 401 || status === 403) throw refuses(title);
  const parsed = parseJson(body, LIMITS);
  const value = 'value' in parsed ? parsed.value : undefined;
  if (status !== 200)
    throw new ApiError('REQUEST_INVALID', `${title} refused the request with status ${status}${reasonIn(value, secret)}`);
  if (value === undefined) throw new ApiError('REQUEST_INVALID', `${title} did not answer with JSON`);
  return value;
}
