/** CREATE_WALLET → createWallet */
export function camelCase(upperSnake: string): string {
  return upperSnake.toLowerCase().replace(/_([a-z0-9])/g, (_, c: string) => c.toUpperCase());
}
