import { ID, type Samples, TARGET } from '../../support/samples.ts';
import { encryptionSuite } from './support.ts';

const pairs = [{ key: 'kind', value: 'token' }];

/** Well-formed parameters of each operation's newest version. */
export const secrets: Samples = {
  INIT_IMPORT_SECRETS: () => ({ encryptionSuite, numSecrets: 1 }),
  IMPORT_SECRETS: () => ({
    secrets: [
      {
        name: 'Token',
        secretPayload: `{"encappedPublic":"${TARGET}","ciphertext":"${'00'.repeat(32)}"}`,
        targetPublicKey: TARGET,
        encryptionSuite,
        staticProperties: pairs,
      },
    ],
  }),
  EXPORT_SECRETS: () => ({ secrets: [{ secretId: ID, targetPublicKey: TARGET, encryptionSuite, requestContext: pairs }] }),
  DELETE_SECRETS: () => ({ secretIds: [ID] }),
};
