/** WalletParams from walletParams. */
export const upper = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

/** GetWallet from get_wallet. */
export const joined = (name: string): string => name.split('_').map(upper).join('');

/** Private keys, from PRIVATE_KEY. */
export const spaced = (name: string): string => upper(name.toLowerCase().replaceAll('_', ' '));
