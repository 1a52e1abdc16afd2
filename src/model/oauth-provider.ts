import { createHash } from 'node:crypto';

/** A person's identity at an OIDC issuer: the issuer, the client of the token, and the person's name there. */
export type OidcIdentity = { issuer: string; audience: string; subject: string };

/** Maximum number of characters in each claim. */
export const LONGEST_CLAIM = { iss: 512, aud: 512, sub: 255 } as const;

/** An account at another provider with which a user signs in. */
export type OauthProvider = OidcIdentity & {
  organizationId: string;
  id: string;
  /** The organization's parent, or null. */
  parentId: string | null;
  userId: string;
  name: string;
  createdAt: number;
  updatedAt: number;
};

/** An identity as one short text for indexes. The parts of an identity may be longer than an index entry. */
export function identityDigest({ issuer, audience, subject }: OidcIdentity): string {
  const hash = createHash('sha256').update(JSON.stringify([issuer, audience, subject]), 'utf8');
  return `sha256:${hash.digest('hex')}`;
}
