import { FIRST_TEN } from './pages.ts';
import type { Tables } from './types.ts';

const PATH = "The BIP-32 path, such as `m/44'/60'/0'/0/0`, of at most 10 steps. A step is hardened by `'` or `h`.";
const ONE_ACCOUNT = {
  path: PATH,
  name: 'A label that is unique among all accounts of the organization, at most 255 characters. Absent: none.',
};

export const walletFields: Tables = {
  WalletParams: { accounts: 'First accounts to derive, at most 1000; it may be empty.' },
  CreateWalletAccountsIntent: {
    accounts: 'Accounts to derive, 1 to 1000. Path, curve and format of each must be new in the wallet.',
  },
  ImportWalletParams: {
    accounts: 'First accounts to derive, at most 1000; it may be empty.',
    userId: 'The UUID of the user who stamps, and who asked for the one-time key.',
  },
  ImportPrivateKeyParams: { userId: 'The UUID of the user who stamps, and who asked for the one-time key.' },
  InitImportParams: { userId: 'The UUID of the user who stamps, and who will import.' },
  accounts: ONE_ACCOUNT,
  WalletResult: { addresses: 'One address for each account, in the order of the request.' },
  CreateWalletAccountsResult: { addresses: 'One address for each account, in the order of the request.' },
  WalletAccount: {
    ...ONE_ACCOUNT,
    address: 'As its chain writes it. Requests to sign name the account by it.',
    publicKey: 'In hex without 0x: a compressed point of 33 bytes, or 32 bytes of Ed25519.',
    walletDetails: 'The account’s wallet. Absent unless `includeWalletDetails` was true.',
    caip2Prefix: 'The namespace of CAIP-2 of the address format, such as `eip155`. Absent if it has none.',
  },
  GetWalletAccountRequest: {
    address: 'The wanted account’s address. Give it, `path`, or both.',
    path: 'The wanted account’s BIP-32 path. Give it, `address`, or both. Of several at it, the oldest is shown.',
  },
  GetWalletAccountResponse: { account: 'The wanted account with its public key.' },
  ListWalletAccountsRequest: {
    walletId: 'The UUID of the wallet. Absent: accounts of all wallets.',
    paginationOptions: FIRST_TEN,
  },
  ListWalletAccountsResponse: { accounts: 'A page of accounts, oldest first: 10 unless the request says more.' },
  GetWalletResponse: { wallet: 'The wanted wallet, without its mnemonic.' },
  ListWalletsResponse: { wallets: 'All wallets or a page of them, oldest first.' },
  UpdateWalletAccountNameIntent: {
    name: 'Replaces the account’s label: at most 255 characters, unique among all accounts of the organization.',
  },
  UpdateWalletIntent: {
    walletName: 'Replaces the wallet’s label, which is unique among the organization’s wallets. Absent: it stays.',
  },
  ExportWalletAccountParams: { address: 'The address of the wallet account, in any spelling that its chain accepts.' },
  ExportWalletAccountResult: { address: 'The address of the request, whose key is in the bundle.' },
  PrivateKeyParams: { privateKeyTags: 'UUIDs of tags that the key has, at most 100.' },
  PrivateKeyResult: {
    privateKeyId: 'The UUID of the new key.',
    addresses: 'The key’s address in each wanted format, once each.',
  },
  ImportPrivateKeyResult: {
    privateKeyId: 'The UUID of the imported key.',
    addresses: 'The key’s address in each wanted format, once each.',
  },
  PrivateKeyOut: {
    privateKeyId: 'The UUID that requests name the key by.',
    publicKey: 'In hex without 0x: a compressed point of 33 bytes, or 32 bytes of Ed25519.',
    addresses: 'The key’s address in each of its formats.',
    privateKeyTags: 'UUIDs of the key’s tags, which policies can test.',
  },
  Address: {
    format: 'Which chain’s way of writing it is, such as `ADDRESS_FORMAT_SOLANA`.',
    address: 'As its chain writes it.',
  },
  CreatePrivateKeysIntent: { privateKeys: 'New standalone keys, 1 to 100: all are made or none.' },
  CreatePrivateKeysResult: { privateKeys: 'The new keys with their addresses, in the order of the request.' },
  GetPrivateKeyResponse: { privateKey: 'The wanted key, without its secret half.' },
  ListPrivateKeysResponse: { privateKeys: 'All standalone keys or a page of them, oldest first.' },
  SignRawPayloadIntent: { privateKeyId: 'The signer: an address of a wallet account or private key, or a private key’s UUID.' },
  SignTransactionIntent: {
    privateKeyId: 'The signer: an address of a wallet account or private key, or a private key’s UUID.',
    unsignedTransaction: 'The unsigned transaction’s bytes in hex, with or without 0x. On Bitcoin they are a PSBT of version 0.',
    type: 'Which chain’s transaction it is: Ethereum, Solana, Tron, Bitcoin or Tempo. Policies read it accordingly.',
  },
  SignTransactionResult: {
    signedTransaction: 'The transaction with the signature, in hex without 0x. On Bitcoin it is the PSBT, not finalized.',
  },
  Signature: {
    r: 'The first half of the signature: 64 hex digits without 0x.',
    s: 'The second half of the signature: 64 hex digits without 0x.',
    v: 'The recovery id in two hex digits, such as `00` or `01`. Ed25519 and Schnorr signatures have `00`.',
  },
  SignRawPayloadsResult: { signatures: '`r`, `s` and `v` of each payload, in the order of the request.' },
  CreateSmartContractInterfaceIntent: {
    smartContractInterface: 'JSON text of the ABI, or of the IDL on Solana; at most 400000 characters.',
    type: 'Whether it is an ABI (Ethereum) or an IDL (Solana).',
    label: 'What people read, unique among the organization’s interfaces, at most 255 characters.',
  },
  ContractInterface: {
    smartContractInterface: 'JSON text of the ABI, or of the IDL on Solana, as it was submitted.',
    type: 'Which kind of interface it is, such as `SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM`.',
    label: 'What people read. It is unique among the organization’s interfaces.',
  },
  GetSmartContractInterfaceResponse: { smartContractInterface: 'The stored interface with its ABI or IDL.' },
  ListSmartContractInterfacesResponse: { smartContractInterfaces: 'Stored interfaces, oldest first.' },
  ImportSecretsParams: { secrets: 'Secrets to store, 1 to 100: all or none.' },
  ExportSecretsParams: { secrets: 'Secrets to seal to the client, 1 to 100: all or none.' },
  ListSecretsResponse: {
    secrets: 'Names and properties of stored secrets, newest first, never their content. 10 unless the request says more.',
  },
  secrets: {
    name: 'A label that is unique among the organization’s secrets, at most 256 bytes. Absent: none.',
    secretId: 'The UUID of the wanted secret.',
    staticProperties: 'At most 16 pairs that policies can test at each export. They never change.',
  },
  SecretMetadata: {
    name: 'A label for people. Absent if the secret has none.',
    secretId: 'The UUID that requests name the secret by.',
    staticProperties: 'Pairs that policies can test at each export.',
    createdAtUnixMs: 'When it was imported, in milliseconds since the epoch.',
  },
  staticProperties: {
    key: 'The pair’s name, at most 256 bytes, each only once.',
    value: 'What the pair says, at most 256 bytes.',
  },
  requestContext: { key: 'The pair’s name, at most 256 bytes, each only once.', value: 'What the pair says, at most 256 bytes.' },
  ListSecretsRequest: { paginationOptions: FIRST_TEN },
  DeleteWalletsResult: { walletIds: 'UUIDs of the destroyed wallets, in the order of the request.' },
  DeleteWalletAccountsResult: { walletAccountIds: 'UUIDs of the destroyed accounts, in the order of the request.' },
  DeletePrivateKeysIntent: { privateKeyIds: 'UUIDs of the standalone keys to destroy: 1 to 100, all or none.' },
  DeleteSecretsParams: { secretIds: 'UUIDs of the secrets to destroy: 1 to 100, each once, all or none.' },
  'ImportSecretsParams.secrets': {
    targetPublicKey: 'The key of INIT_IMPORT_SECRETS that this secret is sealed to, in hex. Each is used once.',
  },
};
