import { FIRST_TEN } from './pages.ts';
import type { Tables } from './types.ts';

const TX_ERROR = {
  message: 'Why it failed, as one line.',
  revertChain: 'The failed calls, the outermost first, at most 32. Older clients read them here; empty on Solana.',
  eth: 'Failed calls of an EVM transaction.',
  solana: 'Why it failed there, as the Solana node reported it.',
};

export const sendFields: Tables = {
  EthSendTransactionIntent: {
    to: 'The account or contract that is called, 0x and 40 hex digits.',
    value: 'Wei that move with the call, in decimal digits. Default `0`.',
    data: 'The call’s bytes in hex, with or without 0x; all calls together have at most 120000 bytes. Default: none.',
    nonce: 'The nonce of the transaction, in decimal digits. Default: the service counts, in the order of acceptance.',
    gasStationNonce:
      'The nonce of the account’s message, in decimal digits, for sponsored sends and batches. Default: the service counts.',
    deadline:
      'When the message of a sponsored send or batch expires, in seconds since the epoch. Default: an hour after its signature.',
    calls: 'One to 20 calls, which happen together or not at all. Several need the delegate contract.',
    maxFeePerGas:
      'Wei for each unit of gas at most, in decimal digits. Absent: from the network’s price, as always if sponsored.',
    maxPriorityFeePerGas:
      'Wei for each unit of gas that go to the block’s producer, at most `maxFeePerGas`. Absent: from the network’s price.',
  },
  calls: {
    to: 'The account or contract that is called, 0x and 40 hex digits.',
    value: 'Wei that move with the call, in decimal digits. Default `0`.',
    data: 'The call’s bytes in hex, with or without 0x; all calls together have at most 120000 bytes. Default: none.',
  },
  EthUndelegate7702Intent: {
    nonce: 'The nonce of the transaction, in decimal digits. Default: the service counts, in the order of acceptance.',
    maxFeePerGas:
      'Wei for each unit of gas at most, in decimal digits. Absent: from the network’s price, as always if sponsored.',
    maxPriorityFeePerGas:
      'Wei for each unit of gas that go to the block’s producer, at most `maxFeePerGas`. Absent: from the network’s price.',
  },
  EthSendRawTransactionIntent: {
    signedTransaction: 'The whole transaction with its signature, in hex with or without 0x, at most 131072 bytes.',
  },
  SolSendTransactionIntent: {
    unsignedTransaction:
      'The whole transaction in hex or base64, with a slot for each signature. A blockhash of zeros is filled in.',
    signWith: 'The Solana address that signs, in base58: the only signer that has not signed yet.',
  },
  CountersignSpeedUpSendIntent: {
    reason: 'Why, for the record: 1 to 500 characters.',
    maxFeePerGas:
      'Wei for each unit of gas at most, a tenth or more above the pending one. Absent: a tenth more, or the network’s price.',
    maxPriorityFeePerGas:
      'Wei for each unit of gas that go to the block’s producer, a tenth or more above the pending ones. Absent: likewise.',
  },
  CountersignCancelSendIntent: { reason: 'Why, for the record: 1 to 500 characters.' },
  SendStatusOut: {
    eth: 'The transaction’s id on a network with the EVM. Absent on others.',
    solana: 'The transaction’s id on Solana. Absent on other networks.',
    error: 'Why the send failed, or why its mined transaction reverted. Absent otherwise.',
  },
  'SendStatusOut.solana': { signature: 'The id of the transaction on Solana, in base58. Absent until it may be broadcast.' },
  error: TX_ERROR,
  eth: { revertChain: 'The failed calls, the outermost first. Of more than 32 calls, those in the middle are left out.' },
  revertChain: {
    address: 'The contract that failed: 0x and 40 hex digits, or empty if it is not known.',
    unknown: 'Error data that no stored interface explains.',
    native: 'An error of Solidity itself.',
    custom: 'The contract’s own error, decoded.',
  },
  native: { message: 'The reason text, or what the code means.' },
  unknown: { data: 'The error data in hex with 0x, of which the first 4096 bytes are kept.' },
  solana: { source: 'Where it failed: `simulation`, `preflight`, `execution` or `rpc`.' },
  SendRow: {
    activityId: 'The UUID of the activity that asked for the send.',
    account: 'The account that pays the network: the paymaster, if the send is sponsored.',
    sponsored: 'Whether the paymaster pays the fee.',
    nonce: 'The nonce of the transaction in the paying account, in decimal digits. Absent until it has one.',
    hash: 'The transaction’s id on its chain. Absent until it may be broadcast, and once the send failed.',
    attempts: 'Transactions that were signed for it, oldest first.',
    block: 'The block that includes it, which a reorganization may still change. Absent until a block does.',
    error: 'Why it failed or reverted, or why a replacement takes its nonce. Absent otherwise.',
    wish: 'The cancel or speed-up that an activity requested. Absent if none did.',
  },
  'SendRow.attempts': {
    number: 'Counted from 1.',
    purpose: '`send`, `cancel` (it only uses the nonce), or `gap` (the same for an earlier nonce).',
    hash: 'The id that this transaction has on its chain.',
    createdAt: 'When it was signed.',
  },
  'SendRow.wish': {
    what: '`cancel` or `speed-up`.',
    activityId: 'The UUID of the activity that asked for it.',
    reason: 'Why, as the user said.',
  },
  ListSendsRequest: {
    sendTransactionStatusId: 'Only this send, by its UUID.',
    filterByStatus: 'Only sends in these states. An empty list does not filter.',
    paginationOptions: FIRST_TEN,
  },
  ListSendsResponse: { sends: 'A page of sends, newest first: 10 unless the request says more. With `next` it may be empty.' },
  GetNoncesRequest: {
    address: 'The account, 0x and 40 hex digits.',
    nonce: 'True: ask for the nonce of its next transaction. Default false.',
    gasStationNonce: 'True: ask for the nonce of its next message to the delegate contract. Default false.',
  },
  GetNoncesResponse: {
    nonce: 'The nonce of the account’s next transaction, pending ones included, in decimal digits. Absent if not asked for.',
    gasStationNonce:
      'The nonce of the account’s next message to the delegate contract, in decimal digits. Absent if not asked for.',
  },
};
