/** CREATE_WALLET → createWallet */
export function camelCase(upperSnake: string): string {
  return upperSnake.toLowerCase().replace(/_([a-z0-9])/g, (_, c: string) => c.toUpperCase());
}

/** oauth2CredentialId → oauth2_credential_id: `_` before each capital; digits are unchanged. */
export const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
