import type { ActivityKind } from '../../engine/activity/declare.ts';
import { createPrivateKeys } from './create-private-keys.ts';
import { deletePrivateKeys } from './delete-private-keys.ts';
import { disablePrivateKey } from './disable-private-key.ts';
import { exportPrivateKey } from './export-private-key.ts';
import { importPrivateKey } from './import-private-key.ts';
import { initImportPrivateKey } from './init-import-private-key.ts';

export const privateKeys: readonly ActivityKind[] = [
  createPrivateKeys,
  deletePrivateKeys,
  disablePrivateKey,
  exportPrivateKey,
  importPrivateKey,
  initImportPrivateKey,
];
