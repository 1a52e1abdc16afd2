import { z } from 'zod';
import type { StoredSecret } from '../model/secret.ts';
import { Id, IdOut } from './common.ts';
import { oneOf } from './enums.ts';
import { TargetPublicKey } from './exports.ts';

const MANY = 100;
const MOST_PAIRS = 16;
const LONGEST = 256;

const SUITES = ['TRANSPORT_ENCRYPTION_SUITE_ENCLAVE_ENCRYPT_V1'] as const;
const EncryptionSuite = oneOf('encryption suite', SUITES);

const TOO_LONG = `must have at most ${LONGEST} bytes`;
const short = z
  .string()
  .max(LONGEST, { error: TOO_LONG, abort: true })
  .refine((text) => Buffer.byteLength(text) <= LONGEST, TOO_LONG);

/** Policies read the pairs as a map, so each key occurs once. An absent member counts as ''. */
const Pair = z
  .object({ key: short.optional(), value: short.optional() })
  .transform(({ key = '', value = '' }) => ({ key, value }))
  .refine(({ key }) => key !== '', { path: ['key'], message: 'must not be empty' });

const KeyValues = z
  .array(Pair)
  .max(MOST_PAIRS, `must have at most ${MOST_PAIRS} entries`)
  .refine((pairs) => new Set(pairs.map(({ key }) => key)).size === pairs.length, 'must name each key once')
  .optional();

const some = <T extends z.ZodType>(one: T) =>
  z.array(one).min(1, 'must name at least one').max(MANY, `must have at most ${MANY}`);

const COUNT = `must be a whole number from 1 to ${MANY}`;
export const InitImportSecretsParams = z.object({
  encryptionSuite: EncryptionSuite,
  numSecrets: z.int().min(1, COUNT).max(MANY, COUNT),
});

export const ImportSecretsParams = z.object({
  secrets: some(
    z.object({
      name: short
        .min(1, 'must not be empty')
        .regex(/^\P{Cc}*$/u, 'must not have control characters')
        .optional(),
      secretPayload: z.string().min(1, 'must be the JSON text that the client sealed').max(33_792),
      targetPublicKey: TargetPublicKey,
      encryptionSuite: EncryptionSuite,
      staticProperties: KeyValues,
    }),
  ),
});

export const ExportSecretsParams = z.object({
  secrets: some(
    z.object({
      secretId: Id,
      targetPublicKey: TargetPublicKey,
      encryptionSuite: EncryptionSuite,
      requestContext: KeyValues,
    }),
  ),
});

export const DeleteSecretsParams = z.object({
  secretIds: some(Id).refine((ids) => new Set(ids).size === ids.length, 'must name each secret once'),
});

export const SecretMetadata = z.object({
  secretId: IdOut,
  name: z.string().optional(),
  staticProperties: z.array(z.object({ key: z.string(), value: z.string() })),
  createdAtUnixMs: z.string(),
});

export function viewSecret({ id, name, staticProperties, createdAt }: StoredSecret): z.output<typeof SecretMetadata> {
  return {
    secretId: id,
    ...(name === null ? {} : { name }),
    staticProperties: [...staticProperties],
    createdAtUnixMs: String(createdAt),
  };
}
