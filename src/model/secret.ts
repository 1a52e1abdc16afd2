export type KeyValue = { key: string; value: string };

/** A secret of an organization, such as an API token, without its content. It never changes. */
export type StoredSecret = {
  organizationId: string;
  id: string;
  /** Unique in the organization. */
  name: string | null;
  /** What policies see of it. */
  staticProperties: readonly KeyValue[];
  createdAt: number;
};

/** A one-time key to which a client seals a secret for its import. Any user of the organization may use it. */
export type SecretTarget = {
  organizationId: string;
  /** Lower-case hex, 65 bytes, uncompressed. */
  publicKey: string;
  id: string;
  sealed: Buffer;
  expiresAt: number;
};
