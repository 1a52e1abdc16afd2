/** Ways in without a key, as the service names them: an auth proxy that sends codes, and an OpenID provider. */
import { post } from './call.ts';

export type Logins = { authProxy?: string; oidcUrl?: string };

let known: Logins = {};

export const logins = (): Logins => known;

/** Before the first page is drawn. */
export function learnLogins({ authProxy, oidcUrl }: Logins): void {
  known = { ...(authProxy && { authProxy }), ...(oidcUrl && { oidcUrl }) };
}

/** A request to the auth proxy, which needs no stamp. Throws ServiceError. */
export async function askProxy<T>(name: string, parameters: object = {}): Promise<T> {
  return (await post(`/v1/${name}`, JSON.stringify(parameters), { 'X-Auth-Proxy-Config-ID': known.authProxy ?? '' })) as T;
}
