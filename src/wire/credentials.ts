import { z } from 'zod';
import { ExpirationSeconds, IdOut, Label } from './common.ts';
import { ApiKeyCurve } from './enums.ts';

const publicKey = z.string().max(130, 'must be a hex public key');

/** The API key entry of version 1: on P-256. */
export const ApiKeyParams = z.object({ apiKeyName: Label, publicKey, expirationSeconds: ExpirationSeconds.optional() });

export const ApiKeyParamsV2 = z.object({
  apiKeyName: Label,
  publicKey,
  curveType: ApiKeyCurve,
  expirationSeconds: ExpirationSeconds.optional(),
});

export type NewApiKey = z.output<typeof ApiKeyParamsV2>;

export const MANY_API_KEYS = 100;

/** Version 1 named no curve. */
export function onP256(keys: readonly z.output<typeof ApiKeyParams>[]): NewApiKey[] {
  return keys.map((key) => ({ ...key, curveType: 'API_KEY_CURVE_P256' }));
}

export const Credential = z.object({ publicKey: z.string(), type: z.string(), sessionProfileId: IdOut.optional() });
