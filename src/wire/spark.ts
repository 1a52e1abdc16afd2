/** Spark's parameters. Hex is compared and shown in lower case. Points are checked to be on the curve later. */
import { z } from 'zod';
import { UUID } from '../base/ids.ts';
import { SignWith } from './signing.ts';

const SIGNATURES = 100;
const LEAVES = 100;
const OPERATORS = 50;

const lowerCase = (text: string): string => text.toLowerCase();

const hexOf = (bytes: number) =>
  z
    .string()
    .regex(new RegExp(`^[0-9a-fA-F]{${2 * bytes}}$`), `must be ${bytes} bytes in hex`)
    .transform(lowerCase);

const NOT_A_POINT = 'must be a compressed point of secp256k1: 33 bytes in hex';

/** The form of a point, 33 bytes. */
export const SparkPoint = z
  .string()
  .regex(/^0[23][0-9a-fA-F]{64}$/, NOT_A_POINT)
  .transform(lowerCase);

/** The order of secp256k1. */
const ORDER = 'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141';

const Scalar = hexOf(32).refine((hex) => hex < ORDER && /[^0]/.test(hex), 'must be a scalar of secp256k1, from 1 to n − 1');

/** An id that others gave: it is hashed and sent on as it is. */
const OutsideId = z.string().regex(/^[\x21-\x7e]{1,128}$/, 'must have 1 to 128 printable ASCII characters, and no spaces');

const TransferId = z.string().regex(UUID, 'must be a UUID');

const Nothing = z.object({});

const VARIANTS = ['identity', 'signingLeaf', 'deposit', 'staticDeposit', 'htlcPreimage'] as const;

export const SparkDerivation = z
  .object({
    identity: Nothing.optional(),
    signingLeaf: z.object({ leafId: OutsideId }).optional(),
    deposit: Nothing.optional(),
    staticDeposit: z.object({ index: z.int().min(0).max(0x7fffffff) }).optional(),
    htlcPreimage: Nothing.optional(),
  })
  .refine((given) => VARIANTS.filter((name) => given[name]).length === 1, `must have exactly one of ${VARIANTS.join(', ')}`);

export type SparkDerivation = z.output<typeof SparkDerivation>;

const Commitment = z.object({ id: Scalar, hiding: SparkPoint, binding: SparkPoint });

export const SparkFrostParams = z.object({
  signWith: SignWith,
  signatures: z
    .array(
      z.object({
        derivation: SparkDerivation,
        message: hexOf(32),
        verifyingKey: SparkPoint,
        operatorCommitments: z.array(Commitment).min(1, 'must hold at least one commitment').max(OPERATORS),
        adaptorPublicKey: z
          .string()
          .regex(/^(?:0[23][0-9a-fA-F]{64})?$/, `${NOT_A_POINT}, or empty`)
          .transform((text) => (text === '' ? undefined : lowerCase(text)))
          .optional(),
      }),
    )
    .min(1, 'must hold at least one signature')
    .max(SIGNATURES),
});

export type SparkFrostParams = z.output<typeof SparkFrostParams>;

/** `least`: with 1, every operator gets the secret itself. */
const recipients = (least: 1 | 2) => ({
  threshold: z.int().min(least).max(OPERATORS),
  operatorRecipients: z
    .array(z.object({ operatorId: OutsideId, encryptionPublicKey: SparkPoint }))
    .min(least, `must name at least ${least === 1 ? 'one operator' : 'two operators'}`)
    .max(OPERATORS),
});

export type SparkRecipientParams = z.output<z.ZodObject<ReturnType<typeof recipients>>>;

/** Signatures that others verify; empty if they come in another way. */
const RefundSignature = z
  .string()
  .regex(/^(?:[0-9a-fA-F]{2}){0,128}$/, 'must be at most 128 bytes in hex')
  .transform(lowerCase)
  .optional();

const leaves = <L extends z.ZodType>(leaf: L) => z.array(leaf).min(1, 'must hold at least one leaf').max(LEAVES);

const TransferLeaf = z.object({
  leafId: OutsideId,
  oldLeafDerivation: SparkDerivation,
  newLeafDerivation: SparkDerivation,
  refundSignature: RefundSignature,
  directRefundSignature: RefundSignature,
  directFromCpfpRefundSignature: RefundSignature,
});

export const SparkTransferParams = z.object({
  signWith: SignWith,
  transfer: z.object({
    transferId: TransferId,
    leaves: leaves(TransferLeaf),
    ...recipients(1),
    receiverPublicKey: SparkPoint,
  }),
});

export type SparkTransferParams = z.output<typeof SparkTransferParams>;

/** A sealed key: an uncompressed point, a nonce, a tag and 32 bytes. */
const SEALED_KEY = 65 + 16 + 16 + 32;

export const SparkClaimParams = z.object({
  signWith: SignWith,
  claim: z.object({
    leaves: leaves(z.object({ leafId: OutsideId, ciphertext: hexOf(SEALED_KEY), senderSignature: hexOf(64) })),
    ...recipients(1),
    transferId: TransferId,
    senderIdentityPublicKey: SparkPoint,
  }),
});

export type SparkClaimParams = z.output<typeof SparkClaimParams>;

export const SparkLightningParams = z.object({ signWith: SignWith, lightningReceive: z.object(recipients(2)) });

export const SparkOperatorPackages = z.array(z.object({ operatorId: z.string(), encryptedPackage: z.string() }));

export const SparkLeafPublicKeys = z.array(z.object({ leafId: z.string(), publicKey: z.string() }));
