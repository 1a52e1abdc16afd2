/** Typed data that moves tokens, as its standards and Permit2 define it. */

type Fields = readonly { name: string; type: string }[];
export type Typed = { primaryType: string; types: Record<string, Fields>; message: object; domain?: object };

const fields = (text: string): Fields =>
  text.split(', ').map((each) => {
    const [type, name] = each.split(' ') as [string, string];
    return { name, type };
  });

const OWNER = '0x14791697260e4c9a71f18484c9f997b308e59325';
const TOKEN = `0x${'33'.repeat(20)}`;
const SPENDER = `0x${'44'.repeat(20)}`;
const NONCE = `0x${'07'.repeat(32)}`;

const authorized = fields('address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce');
const authorization = { from: OWNER, to: SPENDER, value: '5', validAfter: '0', validBefore: '9', nonce: NONCE };
const TokenPermissions = fields('address token, uint256 amount');
const PermitDetails = fields('address token, uint160 amount, uint48 expiration, uint48 nonce');
const permitted = { token: TOKEN, amount: '5' };
const details = { ...permitted, expiration: '9', nonce: '0' };
const terms = { spender: SPENDER, nonce: '1', deadline: '9' };
const from = (kind: string) => fields(`${kind} permitted, address spender, uint256 nonce, uint256 deadline`);
const witness = { witness: { to: SPENDER } };
const Witness = fields('address to');

export const witnessTypes = {
  PermitWitnessTransferFrom: [...from('TokenPermissions'), { name: 'witness', type: 'Witness' }],
  TokenPermissions,
  Witness,
};

export const messages = {
  Permit: {
    primaryType: 'Permit',
    types: { Permit: fields('address owner, address spender, uint256 value, uint256 nonce, uint256 deadline') },
    message: { owner: OWNER, spender: SPENDER, value: '5', nonce: '0', deadline: '9' },
  },
  DaiPermit: {
    primaryType: 'Permit',
    types: { Permit: fields('address holder, address spender, uint256 nonce, uint256 expiry, bool allowed') },
    message: { holder: OWNER, spender: SPENDER, nonce: '0', expiry: '9', allowed: true },
  },
  TransferWithAuthorization: {
    primaryType: 'TransferWithAuthorization',
    types: { TransferWithAuthorization: authorized },
    message: authorization,
  },
  ReceiveWithAuthorization: {
    primaryType: 'ReceiveWithAuthorization',
    types: { ReceiveWithAuthorization: authorized },
    message: authorization,
  },
  CancelAuthorization: {
    primaryType: 'CancelAuthorization',
    types: { CancelAuthorization: fields('address authorizer, bytes32 nonce') },
    message: { authorizer: OWNER, nonce: NONCE },
  },
  PermitSingle: {
    primaryType: 'PermitSingle',
    types: { PermitSingle: fields('PermitDetails details, address spender, uint256 sigDeadline'), PermitDetails },
    message: { details, spender: SPENDER, sigDeadline: '9' },
  },
  PermitBatch: {
    primaryType: 'PermitBatch',
    types: { PermitBatch: fields('PermitDetails[] details, address spender, uint256 sigDeadline'), PermitDetails },
    message: { details: [details], spender: SPENDER, sigDeadline: '9' },
  },
  PermitTransferFrom: {
    primaryType: 'PermitTransferFrom',
    types: { PermitTransferFrom: from('TokenPermissions'), TokenPermissions },
    message: { permitted, ...terms },
  },
  PermitBatchTransferFrom: {
    primaryType: 'PermitBatchTransferFrom',
    types: { PermitBatchTransferFrom: from('TokenPermissions[]'), TokenPermissions },
    message: { permitted: [permitted], ...terms },
  },
  PermitWitnessTransferFrom: {
    primaryType: 'PermitWitnessTransferFrom',
    types: witnessTypes,
    message: { permitted, ...terms, ...witness },
  },
  PermitBatchWitnessTransferFrom: {
    primaryType: 'PermitBatchWitnessTransferFrom',
    types: {
      PermitBatchWitnessTransferFrom: [...from('TokenPermissions[]'), { name: 'witness', type: 'Witness' }],
      TokenPermissions,
      Witness,
    },
    message: { permitted: [permitted], ...terms, ...witness },
  },
} satisfies Record<string, Typed>;

/** The payload that is signed. `left`: a member that its domain lacks. */
export function typedText({ primaryType, types, message, domain = {} }: Typed, left?: string): string {
  const whole: Record<string, unknown> = { chainId: 8453, verifyingContract: TOKEN, ...domain };
  if (left !== undefined) delete whole[left];
  return JSON.stringify({ primaryType, types, message, domain: whole });
}
