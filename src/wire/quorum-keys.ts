import { z } from 'zod';
import { wireTimestamp } from '../base/time.ts';
import { MOST_SHARES, type TvcQuorumKey as QuorumKey } from '../model/tvc/quorum-key.ts';
import { Id, IdOut, Label, Timestamp } from './common.ts';
import { TwoPublicKeys } from './tvc.ts';

const lowerHex = (digits: number, problem: string) =>
  z
    .string()
    .regex(new RegExp(`^[0-9a-fA-F]{${digits}}$`), problem)
    .transform((text) => text.toLowerCase());

const base64 = (most: number) =>
  z
    .string()
    .max(most, `must have at most ${most} characters`)
    .regex(/^[A-Za-z0-9+/]+={0,2}$/, 'must be base64');

const PublicKey = lowerHex(130, 'must be an uncompressed P-256 public key in hex: 130 digits');

const THRESHOLD = `must be a whole number from 2 to ${MOST_SHARES}`;
const KEYS = `must have from 2 to ${MOST_SHARES} keys`;

export const CreateTvcOperatorParams = z.object({
  walletName: Label.optional(),
  walletId: Id.optional(),
  path: z.string().max(256, 'invalid path'),
  operatorName: Label,
});

export const CreateTvcQuorumKeyParams = z.object({
  threshold: z.int(THRESHOLD).min(2, THRESHOLD).max(MOST_SHARES, THRESHOLD),
  operatorEncryptKeys: z.array(PublicKey).min(2, KEYS).max(MOST_SHARES, KEYS),
});

export const ReEncryptTvcQuorumKeyShareParams = z.object({
  attestationDocB64: base64(16_384),
  manifestB64: base64(524_288),
  operatorEncryptKey: PublicKey,
  operatorSignKey: PublicKey,
  deploymentId: Id,
  appQuorumKey: TwoPublicKeys,
});

export const PostTvcQuorumKeyShareParams = z.object({
  deploymentId: Id,
  ephemeralPublicKeyHex: TwoPublicKeys,
  shareApprovalBundle: z.object({
    operatorId: Id,
    /** An envelope of src/crypto/quorum-envelope.ts with 33 bytes. */
    reEncryptedShareHex: lowerHex(260, 'must be a share that is sealed to the ephemeral key: 260 hex digits'),
    signature: lowerHex(128, 'must be r and s in hex: 128 digits'),
  }),
});

export const TvcQuorumKey = z.object({
  id: IdOut,
  publicKey: z.string(),
  threshold: z.number(),
  operatorIds: z.array(IdOut),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});

export function viewQuorumKey({ id, publicKey, threshold, operatorIds, createdAt }: QuorumKey): z.output<typeof TvcQuorumKey> {
  const at = wireTimestamp(createdAt);
  return { id, publicKey, threshold, operatorIds: [...operatorIds], createdAt: at, updatedAt: at };
}
