import type { Clock } from '../../base/clock.ts';
import { ApiError, Unreachable } from '../../base/errors.ts';
import type { Oauth2Exchange, Oauth2Port, Oauth2User } from '../../engine/ports.ts';
import type { Oauth2Provider } from '../../model/oauth2-credential.ts';
import { type Call, type Calls, OutboundError, statusMayPass } from '../../outbound/types.ts';
import { tokenIn, tokenRefusal, userIn } from './answers.ts';
import { onceAtATime } from './once.ts';
import { PROVIDERS, type Provider } from './providers.ts';

/** The base addresses that replace the providers' own. */
export type BaseUrls = { readonly [P in Oauth2Provider]?: string | undefined };

/** As RFC 6749, section 2.3.1 defines it: both are form-encoded first. */
function basic(clientId: string, clientSecret: string): string {
  const encoded = (text: string) => new URLSearchParams({ '': text }).toString().slice(1);
  return `Basic ${Buffer.from(`${encoded(clientId)}:${encoded(clientSecret)}`).toString('base64')}`;
}

const inTrouble = ({ title }: Provider, status: number) =>
  new OutboundError(`${title} answered with status ${status}`, { mayPass: true });

/** Makes both requests. A refusal by the provider is returned, not thrown: thrown errors may be temporary. */
async function exchange(call: Call, provider: Provider, given: Oauth2Exchange): Promise<Oauth2User | ApiError> {
  const { clientId, clientSecret, authCode, redirectUri, codeVerifier } = given;
  const form = new URLSearchParams({
    grant_type: 'authorization_code',
    code: authCode,
    redirect_uri: redirectUri,
    code_verifier: codeVerifier,
  });
  const answered = await call({
    method: 'POST',
    path: provider.tokenPath,
    headers: { authorization: basic(clientId, clientSecret), 'content-type': 'application/x-www-form-urlencoded' },
    body: form.toString(),
  });
  if (statusMayPass(answered.status)) throw inTrouble(provider, answered.status);
  if (answered.status !== 200) return tokenRefusal(provider, answered);
  const bearerToken = tokenIn(provider, answered);
  if (bearerToken instanceof ApiError) return bearerToken;
  const user = await call({ method: 'GET', path: provider.userPath, headers: { authorization: `Bearer ${bearerToken}` } });
  if (statusMayPass(user.status)) throw inTrouble(provider, user.status);
  const id = userIn(provider, user);
  return id instanceof ApiError ? id : { subject: `${provider.subject}:${id}`, bearerToken };
}

/** Asks the providers for a user's identity, by the code that the user gave to the application. `clock`: elapsed time. */
export function oauth2Port(calls: Calls, baseUrls: BaseUrls, clock: Clock): Oauth2Port {
  const once = onceAtATime<Oauth2User>(clock);

  async function ask(given: Oauth2Exchange, payer: string): Promise<Oauth2User> {
    const provider = PROVIDERS[given.provider];
    const baseUrl = baseUrls[given.provider] ?? provider.baseUrl;
    try {
      const found = await calls(baseUrl, { payer }, (call) => exchange(call, provider, given));
      if (found instanceof ApiError) throw found;
      return found;
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      if (!error.mayPass) throw new ApiError('REQUEST_INVALID', `${provider.title} cannot be called: ${error.message}`);
      throw new Unreachable(
        `${provider.title} is unreachable now: ${error.message}. If the same body is refused later, sign in again`,
      );
    }
  }

  // The decision may be made again after the credential was replaced. An answer belongs to the client that was asked about.
  const nameOf = ({ provider, clientId }: Oauth2Exchange, activity: string) => `${activity} ${provider} ${clientId}`;
  return { authenticate: (given, { payer, activity }) => once(nameOf(given, activity), () => ask(given, payer)) };
}
