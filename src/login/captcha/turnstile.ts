import { Unreachable } from '../../base/errors.ts';
import { isObject, parseJson } from '../../base/json.ts';
import type { Log } from '../../engine/ports.ts';
import type { TurnstileSettings } from '../../model/turnstile.ts';
import { type Call, type Calls, NoPlaceError, OutboundError } from '../../outbound/types.ts';
import type { CaptchaPort, CaptchaQuestion, CaptchaVerdict } from './port.ts';

/** As documented: https://developers.cloudflare.com/turnstile/get-started/server-side-validation/ */
const PATH = '/turnstile/v0/siteverify';

/**
 * The form of Turnstile's tokens, including those of its test keys. Other texts are sent by programs, and Turnstile is not
 * asked about them.
 */
const TOKEN = /^[\w.-]{16,2048}$/;

/** A question that met an error of Turnstile is asked again under the same id. */
const TRIES = 2;

const OF_SECRET = ['missing-input-secret', 'invalid-input-secret'];

type Answer = { success: boolean; errors: readonly unknown[]; hostname: unknown; action: unknown };

/** Undefined: the answer does not state whether a captcha passed. */
function verdictIn(body: Buffer): Answer | undefined {
  const parsed = parseJson(body, { depth: 8, keys: 100 });
  const value = 'value' in parsed ? parsed.value : undefined;
  if (!isObject(value) || typeof value.success !== 'boolean') return undefined;
  const { success, hostname, action, 'error-codes': codes } = value;
  const errors = Array.isArray(codes) ? codes : [];
  return errors.includes('internal-error') ? undefined : { success, hostname, action, errors };
}

/** `status`: of an answer without a verdict, after which it is worth asking again. */
type Asked = { answer: Answer } | { status: number };

async function ask(call: Call, form: URLSearchParams): Promise<Asked> {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const { status, body } = await call({ method: 'POST', path: PATH, headers, body: form.toString() });
  const answer = status >= 500 ? undefined : verdictIn(body);
  return answer ? { answer } : { status };
}

/** Only these statuses mean that Turnstile is failing. Other answers may be caused by the token, which is the caller's. */
const isInTrouble = (status: number): boolean => status >= 500 || status === 408 || status === 429;

/** Cloudflare Turnstile. A token works once, within five minutes; Turnstile counts its uses. */
export function turnstile(settings: TurnstileSettings, calls: Calls, log: Log): CaptchaPort {
  const { siteKey, secretKey, baseUrl, hostnames, action } = settings;

  function judge(answer: Answer): CaptchaVerdict {
    if (answer.errors.some((code) => OF_SECRET.includes(code as string)))
      log.error({}, 'Turnstile rejected TURNSTILE_SECRET_KEY, so every captcha fails: correct the key');
    const isOfPage = hostnames.length === 0 || hostnames.includes(answer.hostname as string);
    const isForThis = action === undefined || answer.action === action;
    return answer.success && isOfPage && isForThis ? 'passed' : 'failed';
  }

  function formOf({ token, address, id }: CaptchaQuestion): URLSearchParams {
    const form = new URLSearchParams({ secret: secretKey, response: token, idempotency_key: id });
    if (address !== undefined) form.set('remoteip', address);
    return form;
  }

  return {
    siteKey,
    async verify(question) {
      if (!TOKEN.test(question.token)) return 'failed';
      const form = formOf(question);
      try {
        const asked = await calls(baseUrl, { payer: question.payer }, async (call) => {
          for (let tried = 1; tried < TRIES; tried++) {
            const found = await ask(call, form).catch(() => undefined);
            if (found && 'answer' in found) return found;
          }
          return ask(call, form);
        });
        if ('answer' in asked) return judge(asked.answer);
        const { status } = asked;
        if (!isInTrouble(status)) {
          log.error({ status }, 'Turnstile answered without a verdict, so the captcha fails: check TURNSTILE_URL');
          return 'failed';
        }
        log.warn({ status }, 'Turnstile is failing: requests are accepted without a captcha');
      } catch (error) {
        // Otherwise, a caller who fills all places would be let through.
        if (error instanceof NoPlaceError)
          throw new Unreachable('the captcha cannot be checked now: too many checks are running');
        if (!(error instanceof OutboundError)) throw error;
        if (!error.mayPass) {
          log.error(
            { why: error.message },
            'a request to Turnstile is not allowed, or its answer is unreadable, so the captcha fails',
          );
          return 'failed';
        }
        log.warn({ why: error.message }, 'Turnstile is unreachable: requests are accepted without a captcha');
      }
      return 'unreachable';
    },
  };
}
