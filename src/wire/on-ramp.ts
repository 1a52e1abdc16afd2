import { z } from 'zod';
import { wireTimestamp } from '../base/time.ts';
import {
  type FiatOnRampCredential as Model,
  ON_RAMP_CRYPTO_CURRENCIES,
  ON_RAMP_FIAT_CURRENCIES,
  ON_RAMP_NETWORKS,
  ON_RAMP_PAYMENT_METHODS,
  ON_RAMP_PROVIDERS,
} from '../model/on-ramp.ts';
import { IdOut, Timestamp } from './common.ts';
import { oneOf } from './enums.ts';

/** Printable ASCII without spaces. */
const setText = (longest: number) =>
  z
    .string()
    .max(longest, `must have at most ${longest} characters`)
    .regex(/^[\x21-\x7e]+$/, 'must be printable ASCII without spaces');

const Encrypted = setText(2048);
export const OnRampProvider = oneOf('on-ramp provider', ON_RAMP_PROVIDERS);

/** The keys at a provider. They are checked further when they are opened. */
export const FiatOnRampCredentialParams = z.object({
  onrampProvider: OnRampProvider,
  projectId: setText(255).optional(),
  publishableApiKey: setText(255),
  encryptedSecretApiKey: Encrypted,
  encryptedPrivateApiKey: Encrypted.optional(),
});

export const InitFiatOnRampParams = z.object({
  onrampProvider: OnRampProvider,
  walletAddress: setText(128),
  network: oneOf('network', ON_RAMP_NETWORKS),
  cryptoCurrencyCode: oneOf('cryptocurrency', ON_RAMP_CRYPTO_CURRENCIES),
  fiatCurrencyCode: oneOf('fiat currency', ON_RAMP_FIAT_CURRENCIES).optional(),
  fiatCurrencyAmount: z
    .string()
    .max(20, 'must have at most 20 characters')
    .regex(/^(?!0+(?:\.0+)?$)\d+(?:\.\d+)?$/, 'must be a decimal number greater than 0, such as "25" or "25.50"')
    .optional(),
  paymentMethod: oneOf('payment method', ON_RAMP_PAYMENT_METHODS).optional(),
  countryCode: z
    .string()
    .regex(/^[A-Z]{2}$/, 'must be a code of ISO 3166-1 with two letters, such as US')
    .optional(),
  countrySubdivisionCode: z
    .string()
    .regex(/^[A-Z0-9]{1,3}$/, 'must be the second part of a code of ISO 3166-2, such as NY')
    .optional(),
  sandboxMode: z.boolean().optional(),
  urlForSignature: setText(4096).optional(),
});

export const FiatOnRampCredential = z.object({
  fiatOnrampCredentialId: IdOut,
  organizationId: IdOut,
  onrampProvider: z.string(),
  projectId: z.string().optional(),
  publishableApiKey: z.string(),
  encryptedSecretApiKey: z.string(),
  encryptedPrivateApiKey: z.string().optional(),
  sandboxMode: z.boolean().optional(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});

export function viewFiatOnRampCredential(c: Model): z.output<typeof FiatOnRampCredential> {
  return {
    fiatOnrampCredentialId: c.id,
    organizationId: c.organizationId,
    onrampProvider: c.provider,
    ...(c.projectId === null ? {} : { projectId: c.projectId }),
    publishableApiKey: c.publishableApiKey,
    encryptedSecretApiKey: c.encryptedSecretApiKey,
    ...(c.encryptedPrivateApiKey === null ? {} : { encryptedPrivateApiKey: c.encryptedPrivateApiKey }),
    sandboxMode: c.sandboxMode,
    createdAt: wireTimestamp(c.createdAt),
    updatedAt: wireTimestamp(c.updatedAt),
  };
}
