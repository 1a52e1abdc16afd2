import { randomBytes } from 'node:crypto';
import { initPrivateKeyImport, initWalletImport, sealKey, sealMnemonic } from '../../activities/custody.ts';
import type { Things } from './kinds.ts';

/** What a sample cannot know of the parameters that complete an operation, by type, kind or query name. */
export const RUNS: Readonly<Record<string, (things: Things) => object | Promise<object>>> = {
  IMPORT_WALLET: async ({ home }) => {
    const bundle = await initWalletImport(home);
    return { encryptedBundle: await sealMnemonic(home, bundle, `${'abandon '.repeat(11)}about`) };
  },
  IMPORT_PRIVATE_KEY: async ({ home }) => {
    const bundle = await initPrivateKeyImport(home);
    return { encryptedBundle: await sealKey(home, bundle, randomBytes(32).toString('hex')) };
  },
  UPDATE_ROOT_QUORUM: ({ home }) => ({ threshold: 1, userIds: [home.userId] }),
  DELETE_WALLETS: () => ({ deleteWithoutExport: true }),
  DELETE_WALLET_ACCOUNTS: () => ({ deleteWithoutExport: true }),
  DELETE_PRIVATE_KEYS: () => ({ deleteWithoutExport: true }),
};
