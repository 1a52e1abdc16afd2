type Hex = `0x${string}`;

/** The slot where a delegated account keeps the nonce of its messages, in the lower half. It stays when the account is undelegated. */
export const MESSAGE_NONCE_SLOT: Hex = '0x34d5be385818fa5c8c4e7f9d5a028251d28ebab8aaf203a072d1dde2d49a1100';

/** The next nonce of an account's messages, whether it is delegated now or not. `word`: the answer of `eth_getStorageAt` for the slot. */
export function messageNonce(word: Hex): bigint {
  return BigInt.asUintN(128, BigInt(word));
}

const DELEGATED = /^0xef0100([0-9a-f]{40})$/i;

/**
 * The contract whose code an account runs (EIP-7702), in lower case; undefined if it is not delegated. `code`: the answer of
 * `eth_getCode`.
 */
export function delegateOf(code: string): Hex | undefined {
  const address = DELEGATED.exec(code)?.[1];
  return address === undefined ? undefined : `0x${address.toLowerCase()}`;
}

/** Errors of the delegate and of the station, by selector. None has arguments. The first eleven are of our contracts as well. */
export const GAS_STATION_ERRORS: ReadonlyMap<string, string> = new Map([
  ['0x756688fe', 'InvalidNonce'],
  ['0x559895a3', 'DeadlineExceeded'],
  ['0xde21ae18', 'BatchSizeInvalid'],
  ['0x29c3b7ee', 'NotSelf'],
  ['0xacfdb444', 'ExecutionFailed'],
  ['0x8164f842', 'ApprovalFailed'],
  ['0xe12092fc', 'ApprovalTo0Failed'],
  ['0xf572481d', 'ApprovalReturnFalse'],
  ['0x01da1572', 'InvalidOffset'],
  ['0x9ccd6d76', 'NotDelegated'],
  ['0x37ed32e8', 'ReentrantCall'],
  ['0x03bbfc9c', 'InvalidToContract'],
  ['0x7f181275', 'UnsupportedExecutionMode'],
  ['0x63e0897a', 'InvalidCounter'],
  ['0x42868c9b', 'InvalidFunctionSelector'],
]);
