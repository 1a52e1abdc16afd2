import type { Tables } from './types.ts';

const RECIPIENTS = 'Spark’s operators, at most 50, each with the key that its package is sealed to.';
const THRESHOLD = 'How many operators together can use the shares: 1, for Lightning 2, to their number.';
const PACKAGES = 'One sealed package for each operator, in the order of the request.';
const NEW_KEYS = 'The public key of each coin after the transfer.';
const TRANSFER_ID = 'The UUID that Spark’s operators know the transfer by.';

export const sparkFields: Tables = {
  SparkDerivation: {
    signingLeaf: 'The key of one coin.',
    staticDeposit: 'The key of a deposit address that is used again.',
  },
  staticDeposit: { index: 'The number of the address: 0 to 2147483647.' },
  SparkFrostParams: {
    signatures: '1 to 100 wanted signatures.',
    signWith: "The Spark address of a wallet account at `m/8797555'/N'/0'`. Its other keys are derived beside that one.",
  },
  'SparkFrostParams.signatures': {
    derivation: 'Which key of the account signs: exactly one member.',
    message: 'The 32 bytes to sign, in hex.',
    operatorCommitments: 'The nonces’ points of the operators that take part, at most 50.',
    adaptorPublicKey: 'For an adaptor signature, its secp256k1 point in hex; empty: an ordinary one.',
  },
  operatorCommitments: {
    id: 'The operator’s scalar in the scheme, 64 hex digits.',
    hiding: 'The point of its first nonce, 33 bytes in hex.',
    binding: 'The point of its second nonce, 33 bytes in hex.',
  },
  SparkSignFrostResult: { signatures: 'The user’s part of each signature, in the order of the request.' },
  'SparkSignFrostResult.signatures': {
    hiding: 'The point of the user’s first nonce, 33 bytes in hex.',
    binding: 'The point of the user’s second nonce, 33 bytes in hex.',
  },
  SparkTransferParams: {
    transfer: 'The coins to give, and to whom.',
    signWith: "The Spark address of a wallet account at `m/8797555'/N'/0'`. Its other keys are derived beside that one.",
  },
  transfer: {
    leaves: 'The coins, 1 to 100.',
    threshold: THRESHOLD,
    operatorRecipients: RECIPIENTS,
    receiverPublicKey: 'The receiver’s secp256k1 identity in hex, 33 bytes.',
    transferId: TRANSFER_ID,
  },
  'SparkTransferParams.transfer.leaves': {
    oldLeafDerivation: 'Which key of the account has the coin now: a `signingLeaf`.',
    newLeafDerivation: 'Which key of the account the coin passes through: another `signingLeaf`.',
  },
  SparkClaimParams: {
    claim: 'The coins to take, and from whom.',
    signWith: "The Spark address of a wallet account at `m/8797555'/N'/0'`. Its other keys are derived beside that one.",
  },
  claim: {
    leaves: 'The coins, 1 to 100.',
    threshold: THRESHOLD,
    operatorRecipients: RECIPIENTS,
    transferId: TRANSFER_ID,
  },
  'SparkClaimParams.claim.leaves': { ciphertext: 'The coin’s key, sealed to this account’s identity: 258 hex digits.' },
  SparkLightningParams: {
    lightningReceive: 'Operators that keep shares of the preimage.',
    signWith: "The Spark address of a wallet account at `m/8797555'/N'/0'`. Its other keys are derived beside that one.",
  },
  lightningReceive: { threshold: THRESHOLD, operatorRecipients: RECIPIENTS },
  operatorRecipients: { operatorId: 'The name that Spark has for the operator, 1 to 128 printable characters.' },
  operatorPackages: { operatorId: 'The operator that opens the package, as the request names it.' },
  SparkPrepareTransferResult: { operatorPackages: PACKAGES, newLeafPublicKeys: NEW_KEYS },
  SparkClaimTransferResult: { operatorPackages: PACKAGES, newLeafPublicKeys: NEW_KEYS },
  SparkPrepareLightningReceiveResult: { operatorPackages: PACKAGES },
  newLeafPublicKeys: { publicKey: 'A secp256k1 point in hex, 33 bytes.' },
};
