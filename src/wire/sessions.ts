import { z } from 'zod';
import { ExpirationSeconds, Id, IdOut, Label } from './common.ts';
import { TargetPublicKey } from './exports.ts';

/** The parameters of every login that makes a session. */
export const Login = z.object({
  publicKey: z.string().min(1, 'must be a hex public key').max(130, 'must be a hex public key'),
  expirationSeconds: ExpirationSeconds.optional(),
  invalidateExisting: z.boolean().optional(),
  sessionProfileId: Id.optional(),
});

export const LoginResult = z.object({ session: z.string() });

/** The parameters of every login that makes a key for the client. */
export const KeyRequest = z.object({
  targetPublicKey: TargetPublicKey,
  apiKeyName: Label.optional(),
  expirationSeconds: ExpirationSeconds.optional(),
});

/** The same, with a member that removes the user's other keys of the kind. */
export const LoginKeyRequest = KeyRequest.extend({ invalidateExisting: z.boolean().optional() });

export const SessionOwner = z.object({
  organizationId: IdOut,
  organizationName: z.string(),
  userId: IdOut,
  username: z.string(),
});

export type SessionOwner = z.output<typeof SessionOwner>;

/** A key that was made for the client. */
export const IssuedKey = z.object({ apiKeyId: IdOut, credentialBundle: z.string() });
