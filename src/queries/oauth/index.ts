import type { QueryKind } from '../../engine/query/declare.ts';
import { getOauth2Credential } from './get-oauth2-credential.ts';
import { listOauth2Credentials } from './list-oauth2-credentials.ts';

export const oauth: readonly QueryKind[] = [getOauth2Credential, listOauth2Credentials];
