import type { Tables } from './types.ts';

const TX_ERROR = {
  message: 'Why it failed, as one line.',
  revertChain: 'The failed calls, the outermost first. Kept here for older clients.',
  eth: 'Failed calls of an EVM transaction.',
  solana: 'What Solana reported.',
};

export const sendFields: Tables = {
  EthSendTransactionIntent: {
    to: 'The account or contract that is called, 0x and 40 hex digits.',
    value: 'Wei that move with the call, in decimal digits. Default `0`.',
    data: 'The call’s bytes in hex, at most 120000 bytes. Default: none.',
    nonce: 'The account’s next number, in decimal digits. Default: the service counts.',
    gasStationNonce: 'The next number of the account’s messages. Default: the service counts.',
    deadline: 'Until when a sponsored message is valid, in seconds since the epoch. Default: an hour.',
    calls: 'Calls that happen together or not at all.',
  },
  calls: {
    to: 'The account or contract that is called, 0x and 40 hex digits.',
    value: 'Wei that move with the call, in decimal digits. Default `0`.',
    data: 'The call’s bytes in hex, at most 120000 bytes. Default: none.',
  },
  EthUndelegate7702Intent: { nonce: 'The account’s next number, in decimal digits. Default: the service counts.' },
  EthSendRawTransactionIntent: { signedTransaction: 'The whole transaction with its signature, in hex.' },
  SolSendTransactionIntent: {
    unsignedTransaction: 'The transaction in base64 or hex, with empty signatures.',
    signWith: 'The Solana address of the organization that signs, in base58.',
  },
  CountersignSpeedUpSendIntent: { reason: 'Why, for the record: 1 to 500 characters.' },
  CountersignCancelSendIntent: { reason: 'Why, for the record: 1 to 500 characters.' },
  SendStatusOut: {
    eth: 'Only for networks with the EVM.',
    solana: 'Only for Solana.',
    error: 'The failure for programs. Absent if there is none.',
  },
  'SendStatusOut.solana': { signature: 'The id of the transaction on Solana, in base58. Absent until it is broadcast.' },
  error: TX_ERROR,
  eth: { revertChain: 'The failed calls, the outermost first.' },
  revertChain: {
    address: 'The contract that failed.',
    unknown: 'Error data that no stored interface explains.',
    native: 'An error of Solidity itself.',
    custom: 'The contract’s own error, decoded.',
  },
  native: { message: 'The reason text, or what the code means.' },
  unknown: { data: 'All bytes of the error in hex.' },
  solana: { source: 'Where it failed: `simulation`, `preflight`, `execution` or `rpc`.' },
  SendRow: {
    activityId: 'The UUID of the activity that asked for the send.',
    account: 'The account that pays the network: the paymaster, if the send is sponsored.',
    sponsored: 'Whether another account pays the gas.',
    nonce: 'The paying account’s number of this transaction, in decimal digits. Absent until it has one.',
    hash: 'The transaction’s id on its chain. Absent until it may be broadcast.',
    attempts: 'All transactions that were signed for it, oldest first.',
    block: 'The block that has it. Absent until one has.',
    error: 'Why it failed, for programs. Absent if it did not.',
    wish: 'A cancel or a speed-up that was asked for and is not done.',
  },
  'SendRow.attempts': {
    number: 'Counted from 1.',
    purpose: '`send`, `cancel` (it only uses the nonce), or `gap` (the same for an earlier nonce).',
    hash: 'The id that this transaction has on its chain.',
    createdAt: 'When it was signed.',
  },
  'SendRow.wish': {
    what: 'Whether to cancel it or to speed it up.',
    activityId: 'The UUID of the activity that asked for it.',
    reason: 'Why, as the user said.',
  },
  ListSendsRequest: {
    sendTransactionStatusId: 'Only this send, by its UUID.',
    filterByStatus: 'Only sends in these states. An empty list does not filter.',
  },
  ListSendsResponse: { sends: 'Newest first.' },
  GetNoncesRequest: {
    address: 'The account, 0x and 40 hex digits.',
    nonce: 'True: ask for the number of its next transaction.',
    gasStationNonce: 'True: ask for the number of its next message to the delegate contract.',
  },
  GetNoncesResponse: {
    nonce: 'The number of the account’s next transaction, in decimal digits.',
    gasStationNonce: 'The number of the account’s next message to the delegate contract, in decimal digits.',
  },
};
