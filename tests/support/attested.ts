import { type Answer, type Client, type Keys, post, stampOf, submitPath } from './client.ts';

export type Attestation = { verificationToken: string } | { oidcToken: string };

const SCHEMES = {
  verificationToken: 'STAMP_ATTESTED_SCHEME_P256_VERIFICATION_TOKEN',
  oidcToken: 'STAMP_ATTESTED_SCHEME_P256_OIDC',
} as const;

/** The members of an `X-Stamp-Attested`. */
export function attestedStamp(keys: Keys, attestation: Attestation, body: string): Record<string, string> {
  const [[name, token] = []] = Object.entries(attestation);
  const { publicKey, signature } = JSON.parse(Buffer.from(stampOf(keys, body), 'base64url').toString());
  return { publicKeyAttestation: token!, scheme: SCHEMES[name as keyof typeof SCHEMES], publicKey, signature };
}

/** As published clients send it, or as the published documents show it. */
export const attestedHeader = (stamp: object, form: 'base64url' | 'json' = 'base64url'): string => {
  const text = JSON.stringify(stamp);
  return form === 'json' ? text : Buffer.from(text).toString('base64url');
};

/** The same client with attested stamps. `keys`: of the key that the token vouches for. */
export function attested(
  { url, organizationId, bodyOf }: Pick<Client, 'url' | 'organizationId' | 'bodyOf'>,
  keys: Keys,
  attestation: Attestation,
) {
  const send = (path: string, body: string): Promise<Answer> =>
    post(`${url}${path}`, body, { 'x-stamp-attested': attestedHeader(attestedStamp(keys, attestation, body)) });
  return {
    keys,
    send,
    submit: (type: string, parameters: unknown) => send(submitPath(type), bodyOf(type, parameters, { organizationId })),
    query: (name: string, parameters = {}) => send(`/public/v1/query/${name}`, JSON.stringify({ organizationId, ...parameters })),
  };
}
