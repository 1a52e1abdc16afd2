/** A name for a group of users, or of private keys. */
export type Tag = {
  organizationId: string;
  id: string;
  kind: 'user' | 'private_key';
  name: string;
  createdAt: number;
  updatedAt: number;
};
