/** What a verification token may be used for, once each. */
export type TokenPurpose = 'signup' | 'login' | 'update';

/** `organizationId` issued the token; `expiresAt` is the token's. */
export type TokenUse = { organizationId: string; tokenId: string; purpose: TokenPurpose; expiresAt: number };
