import { createHash } from 'node:crypto';

/** Who somebody is to an OIDC issuer: its name, the client that it issued to, and the person's name there. */
export type OidcIdentity = { issuer: string; audience: string; subject: string };

/** Characters that they may have. */
export const LONGEST_CLAIM = { iss: 512, aud: 512, sub: 255 } as const;

/** An account elsewhere that a user signs in with. */
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

/** An identity in one short text, for indexes: its parts may be longer than an entry of one can be. */
export function identityDigest({ issuer, audience, subject }: OidcIdentity): string {
  const hash = createHash('sha256').update(JSON.stringify([issuer, audience, subject]), 'utf8');
  return `sha256:${hash.digest('hex')}`;
}
