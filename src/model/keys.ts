export type Wallet = {
  organizationId: string;
  id: string;
  name: string;
  exported: boolean;
  imported: boolean;
  createdAt: number;
  updatedAt: number;
};

export type WalletAccount = {
  organizationId: string;
  id: string;
  walletId: string;
  curve: string;
  path: string;
  addressFormat: string;
  address: string;
  /** Lower-case hex. */
  publicKey: string;
  name: string | null;
  exported: boolean;
  createdAt: number;
  updatedAt: number;
};

export type PrivateKey = {
  organizationId: string;
  id: string;
  name: string;
  curve: string;
  publicKey: string;
  exported: boolean;
  imported: boolean;
  createdAt: number;
  updatedAt: number;
};

/** The key that a `signWith` resolves to. `format` is '' if `signWith` is the id of a private key. */
export type Signer = {
  organizationId: string;
  parentId: string | null;
  address: string;
  format: string;
  keyId: string;
  walletId: string | null;
  curve: string;
  /** A disabled private key signs nothing. */
  disabled: boolean;
  /** Index of the address among the addresses of its key, in the requested order, from 0. */
  position: number;
};

/** The kind of a sealed secret. It is part of the key derivation and additional data. */
export type Purpose = 'mnemonic' | 'account-key' | 'private-key' | 'stored-secret';
