import { ID, type Samples } from '../../support/samples.ts';

/** The generator of P-256. */
const TARGET = '036b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296';

/** Well-formed parameters of each operation's newest version. */
export const privateKeys: Samples = {
  CREATE_PRIVATE_KEYS: () => ({
    privateKeys: [{ privateKeyName: 'Sample', curve: 'CURVE_P256', privateKeyTags: [], addressFormats: [] }],
  }),
  DISABLE_PRIVATE_KEY: () => ({ privateKeyId: ID }),
  DELETE_PRIVATE_KEYS: () => ({ privateKeyIds: [ID] }),
  EXPORT_PRIVATE_KEY: () => ({ privateKeyId: ID, targetPublicKey: TARGET }),
  INIT_IMPORT_PRIVATE_KEY: () => ({ userId: ID }),
  IMPORT_PRIVATE_KEY: () => ({
    userId: ID,
    privateKeyName: 'Sample',
    encryptedBundle: '{}',
    curve: 'CURVE_SECP256K1',
    addressFormats: [],
  }),
};
