import type { ActivityKind } from '../../engine/activity/declare.ts';
import { createOauth2Credential } from './create-oauth2-credential.ts';
import { deleteOauth2Credential } from './delete-oauth2-credential.ts';
import { oauth as oauthBundle } from './oauth.ts';
import { oauthLogin } from './oauth-login.ts';
import { oauth2Authenticate } from './oauth2-authenticate.ts';
import { updateOauth2Credential } from './update-oauth2-credential.ts';

export const oauth: readonly ActivityKind[] = [
  createOauth2Credential,
  deleteOauth2Credential,
  oauthBundle,
  oauth2Authenticate,
  oauthLogin,
  updateOauth2Credential,
];
