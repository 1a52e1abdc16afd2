import { z } from 'zod';
import { wireTimestamp } from '../base/time.ts';
import { type Authenticator as AuthenticatorModel, PASSKEY_TYPE } from '../model/user.ts';
import { IdOut, Label, Timestamp } from './common.ts';
import { Credential } from './credentials.ts';
import { AuthenticatorTransport } from './enums.ts';

/** Base64url with or without padding. Base64 is accepted too, because some clients send it. */
const base64 = (most: number) =>
  z
    .string()
    .min(1, 'must not be empty')
    .max(most, `must have at most ${most} characters`)
    .regex(/^[A-Za-z0-9_+/-]*={0,2}$/, 'must be base64url');

const CREDENTIAL_ID = 256;
const CLIENT_DATA = 4096;
/** Statements with a chain of certificates have a few thousand bytes. */
const ATTESTATION_OBJECT = 24_576;

const credentialId = base64(CREDENTIAL_ID);
const clientDataJson = base64(CLIENT_DATA);
const attestationObject = base64(ATTESTATION_OBJECT);
const transports = z.array(AuthenticatorTransport).max(8, 'must name at most 8 transports');
/** The challenge of the registration: base64url, or a text that was used unchanged. */
const challenge = z.string().min(1, 'must not be empty').max(256, 'must have at most 256 characters');

const missing = (what: string) => ({
  error: ({ input }: { input?: unknown }) => (input === undefined ? `missing parameter: ${what}` : undefined),
});

const ATTESTATION = missing('user authenticator attestation');

export const AuthenticatorParamsV2 = z.object({
  authenticatorName: Label,
  challenge,
  attestation: z.object({ credentialId, clientDataJson, attestationObject, transports }, ATTESTATION),
});

export type NewAuthenticator = z.output<typeof AuthenticatorParamsV2>;

const attachment = z.enum(['cross-platform', 'platform']).optional();

/** The earlier form: a browser's answer, unchanged. */
export const AuthenticatorParams = z.object({
  authenticatorName: Label,
  /** Has no meaning if the user is being created. */
  userId: z.string().max(255),
  attestation: z
    .object(
      {
        id: credentialId,
        type: z.literal('public-key'),
        rawId: credentialId,
        authenticatorAttachment: attachment,
        response: z.object({
          clientDataJson,
          attestationObject,
          transports: transports.optional(),
          authenticatorAttachment: attachment,
        }),
        clientExtensionResults: z.object({
          appid: z.boolean().optional(),
          appidExclude: z.boolean().optional(),
          credProps: z.object({ rk: z.boolean().optional() }).optional(),
        }),
      },
      ATTESTATION,
    )
    .refine(({ id, rawId }) => id === rawId, { path: ['rawId'], error: 'must be the same as id' }),
  challenge,
});

export function currentForm(given: readonly z.output<typeof AuthenticatorParams>[]): NewAuthenticator[] {
  return given.map(({ authenticatorName, challenge, attestation: { rawId, response } }) => ({
    authenticatorName,
    challenge,
    attestation: {
      credentialId: rawId,
      clientDataJson: response.clientDataJson,
      attestationObject: response.attestationObject,
      transports: response.transports ?? [],
    },
  }));
}

export const MANY_AUTHENTICATORS = 20;

export const Authenticator = z.object({
  transports: z.array(z.string()),
  attestationType: z.string(),
  aaguid: z.string(),
  credentialId: z.string(),
  model: z.string(),
  credential: Credential,
  authenticatorId: IdOut,
  authenticatorName: z.string(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});

export function viewAuthenticator(a: AuthenticatorModel): z.output<typeof Authenticator> {
  return {
    transports: [...a.transports],
    attestationType: a.attestationType,
    aaguid: a.aaguid,
    credentialId: a.credentialId,
    model: a.model,
    credential: { publicKey: a.publicKey, type: PASSKEY_TYPE },
    authenticatorId: a.id,
    authenticatorName: a.name,
    createdAt: wireTimestamp(a.createdAt),
    updatedAt: wireTimestamp(a.updatedAt),
  };
}
