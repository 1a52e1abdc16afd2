import type { Tables } from './types.ts';

const PATH = "The BIP-32 path, such as `m/44'/60'/0'/0/0`. Ed25519 needs hardened steps.";
const ONE_ACCOUNT = {
  path: PATH,
  name: 'A label for people, at most 255 characters.',
};

export const walletFields: Tables = {
  WalletParams: { accounts: 'First accounts to derive, at most 1000; it may be empty.' },
  CreateWalletAccountsIntent: { accounts: 'Accounts to derive, at most 1000.' },
  ImportWalletParams: {
    accounts: 'First accounts to derive, at most 1000.',
    userId: 'The UUID of the user who stamps, and who asked for the one-time key.',
  },
  ImportPrivateKeyParams: { userId: 'The UUID of the user who stamps, and who asked for the one-time key.' },
  InitImportParams: { userId: 'The UUID of the user who stamps, and who will import.' },
  accounts: ONE_ACCOUNT,
  WalletResult: { addresses: 'One address for each account, in the order of the request.' },
  CreateWalletAccountsResult: { addresses: 'One address for each account, in the order of the request.' },
  WalletAccount: {
    ...ONE_ACCOUNT,
    address: 'As its chain writes it. Requests sign with the account by it.',
    publicKey: 'In hex: a compressed point, or 32 bytes of Ed25519.',
    walletDetails: 'The account’s wallet, if the request asked for it.',
    caip2Prefix: 'The namespace of CAIP-2 that the address belongs to, such as `eip155`. Absent if there is none.',
  },
  GetWalletAccountRequest: {
    address: 'The wanted account’s address. Give it or `path`.',
    path: 'The wanted account’s BIP-32 path. Give it or `address`.',
  },
  GetWalletAccountResponse: { account: 'The wanted account with its public key.' },
  ListWalletAccountsRequest: { walletId: 'The UUID of the wallet. Absent: accounts of all wallets.' },
  ListWalletAccountsResponse: { accounts: 'All accounts or a page of them, oldest first.' },
  GetWalletResponse: { wallet: 'The wanted wallet, without its mnemonic.' },
  ListWalletsResponse: { wallets: 'All wallets or a page of them, oldest first.' },
  UpdateWalletAccountNameIntent: { name: 'Replaces the account’s label; at most 255 characters.' },
  UpdateWalletIntent: { walletName: 'Replaces the wallet’s label, which is unique in the organization.' },
  ExportWalletAccountParams: { address: 'The account’s address, as its chain writes it.' },
  ExportWalletAccountResult: { address: 'The address whose key is in the bundle.' },
  PrivateKeyParams: { privateKeyTags: 'UUIDs of tags that the key has, at most 100.' },
  PrivateKeyResult: {
    privateKeyId: 'The UUID of the new key.',
    addresses: 'The key’s address in each wanted format.',
  },
  ImportPrivateKeyResult: {
    privateKeyId: 'The UUID of the imported key.',
    addresses: 'The key’s address in each wanted format.',
  },
  PrivateKeyOut: {
    privateKeyId: 'The UUID that requests name the key by.',
    publicKey: 'In hex: a compressed point, or 32 bytes of Ed25519.',
    addresses: 'The key’s address in each of its formats.',
    privateKeyTags: 'UUIDs of the key’s tags, which policies can test.',
  },
  Address: {
    format: 'Which chain’s way of writing it is, such as `ADDRESS_FORMAT_SOLANA`.',
    address: 'As its chain writes it.',
  },
  CreatePrivateKeysIntent: { privateKeys: 'New standalone keys: all are made or none.' },
  CreatePrivateKeysResult: { privateKeys: 'The new keys, in the order of the request.' },
  GetPrivateKeyResponse: { privateKey: 'The wanted key, without its secret half.' },
  ListPrivateKeysResponse: { privateKeys: 'All standalone keys or a page of them, oldest first.' },
  SignRawPayloadIntent: { privateKeyId: 'The UUID of the private key that signs, or its address.' },
  SignTransactionIntent: {
    privateKeyId: 'The UUID of the private key that signs, or its address.',
    unsignedTransaction: 'In hex, with or without 0x, as the chain’s own libraries write it.',
    type: 'Which chain’s transaction it is. Policies read its content by this.',
  },
  SignTransactionResult: { signedTransaction: 'In hex, ready to be broadcast.' },
  Signature: {
    r: 'The first half in hex, 32 bytes.',
    s: 'The second half in hex, 32 bytes.',
    v: 'The recovery id in hex, `00` or `01`; `00` on curves without one.',
  },
  SignRawPayloadsResult: { signatures: 'One for each payload, in their order.' },
  CreateSmartContractInterfaceIntent: {
    smartContractInterface: 'JSON text of the ABI, or of the IDL on Solana; at most 400000 characters.',
    type: 'Which kind of interface it is.',
    label: 'What people read, at most 255 characters.',
  },
  ContractInterface: {
    smartContractInterface: 'JSON text of the ABI, or of the IDL on Solana, as it was submitted.',
    type: 'Which kind of interface it is, such as `SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM`.',
    label: 'What people read.',
  },
  GetSmartContractInterfaceResponse: { smartContractInterface: 'The wanted interface.' },
  ListSmartContractInterfacesResponse: { smartContractInterfaces: 'Stored interfaces, oldest first.' },
  ImportSecretsParams: { secrets: 'Secrets to store, 1 to 100: all or none.' },
  ExportSecretsParams: { secrets: 'Secrets to seal to the client, 1 to 100: all or none.' },
  ListSecretsResponse: { secrets: 'Names and properties of stored secrets, never their content.' },
  secrets: {
    name: 'A label of at most 256 bytes. Absent: none.',
    secretId: 'The UUID of the wanted secret.',
    staticProperties: 'At most 16 pairs that policies can test at each export.',
  },
  SecretMetadata: {
    name: 'The secret’s label. Absent if it has none.',
    secretId: 'The UUID that requests name the secret by.',
    staticProperties: 'Pairs that policies can test at each export.',
    createdAtUnixMs: 'When it was imported, in milliseconds since the epoch.',
  },
  staticProperties: {
    key: 'The pair’s name, at most 256 bytes, each only once.',
    value: 'What the pair says, at most 256 bytes.',
  },
  requestContext: { key: 'The pair’s name, at most 256 bytes, each only once.', value: 'What the pair says, at most 256 bytes.' },
};
