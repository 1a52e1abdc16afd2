import type { ActivityKind } from '../../engine/activity/declare.ts';
import { deleteSecrets } from './delete-secrets.ts';
import { exportSecrets } from './export-secrets.ts';
import { importSecrets } from './import-secrets.ts';
import { initImportSecrets } from './init-import-secrets.ts';

export const secrets: readonly ActivityKind[] = [deleteSecrets, exportSecrets, importSecrets, initImportSecrets];
