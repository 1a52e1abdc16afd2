import { newKeys } from '../../support/client.ts';
import type { Samples } from '../../support/samples.ts';

const TARGET =
  '0464fb511728122da3b7b8a449c79d7a9e3fb847f4cbf0efbc6c82f68ada0ae5ebd1f9b6a45f5e4b61852c8e293a7b79022422ffff9ea8fba7297271b589cc9ed2';

/** Well-formed parameters of each operation's newest version, and of older ones. */
export const sessions: Samples = {
  STAMP_LOGIN: () => ({ publicKey: newKeys().publicKey }),
  CREATE_READ_ONLY_SESSION: () => ({}),
  ACTIVITY_TYPE_CREATE_READ_WRITE_SESSION: () => ({ targetPublicKey: TARGET, email: 'sample@example.com' }),
  CREATE_READ_WRITE_SESSION: () => ({ targetPublicKey: TARGET }),
};
