import { idOf, NOW } from '../../names.ts';

export const identityOf = (subject: string) => ({ issuer: 'https://issuer.test', audience: 'client', subject });

export const oauthProviderOf = (organizationId: string, id: string, subject: string, parentId: string | null = null) => ({
  organizationId: idOf(organizationId),
  id: idOf(id),
  parentId: parentId && idOf(parentId),
  userId: idOf('user'),
  name: 'name',
  ...identityOf(subject),
  createdAt: NOW,
  updatedAt: NOW,
});
