import { randomBytes } from 'node:crypto';
import { sharedIssuer } from '../oidc.ts';

/** The issuer of all accounts elsewhere in these tests, and what lets an instance ask it. */
export const { issuer, env: issuerEnv } = await sharedIssuer();

/** A token of somebody new, and the claims that identify them. */
export function newAccount(): { oidcToken: string; oidcClaims: string } {
  const sub = randomBytes(8).toString('hex');
  return { oidcToken: issuer.signNow({ sub }), oidcClaims: JSON.stringify({ iss: issuer.url, aud: issuer.clientId, sub }) };
}
