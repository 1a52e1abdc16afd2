import { ORIGIN, type SoftAuthenticator, type Stamping } from './authenticator.ts';
import { type Answer, type Client, post, resultOf, submitPath } from './client.ts';

/** A client that stamps with a passkey. `client` names the service and the organization. */
export function byPasskey(client: Client, authenticator: SoftAuthenticator, options: Stamping = {}) {
  const send = (path: string, body: string, more: Stamping = {}): Promise<Answer> =>
    post(`${client.url}${path}`, body, authenticator.stamp(body, { ...options, ...more }));
  return {
    send,
    submit: (type: string, parameters: unknown, more?: Stamping) => send(submitPath(type), client.bodyOf(type, parameters), more),
    query: (name: string, parameters: object = {}, more?: Stamping) =>
      send(`/public/v1/query/${name}`, JSON.stringify({ organizationId: client.organizationId, ...parameters }), more),
  };
}

/** Registers a passkey for a user; returns its id. */
export async function addPasskey(client: Client, userId: string, authenticator: SoftAuthenticator): Promise<string> {
  const made = await client.submit('CREATE_AUTHENTICATORS_V2', { userId, authenticators: [authenticator.register()] });
  return resultOf(made, 'createAuthenticatorsResult').authenticatorIds[0];
}

export { ORIGIN };
