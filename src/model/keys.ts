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

/** What `signWith` resolves to. `format` is '' where a private key is named by its id. */
export type Signer = {
  organizationId: string;
  parentId: string | null;
  address: string;
  format: string;
  keyId: string;
  walletId: string | null;
  curve: string;
  /** A private key that was disabled signs nothing. */
  disabled: boolean;
  /** Of the address among those of its key, from 0: as they were asked for. */
  position: number;
};

/** What a sealed secret is: part of its key derivation and of its additional data. */
export type Purpose = 'mnemonic' | 'account-key' | 'private-key';
