import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeFunctionData, erc20Abi, maxUint256, parseAbi, serializeTransaction } from 'viem';
import { signWei, weiControl } from '../activities/velocity-controls/spends.ts';
import { aggregation, transfers, USDC, velocityControl } from '../activities/velocity-controls/support.ts';
import { ALWAYS, control, EXCEEDED, exceeds, newPlace, SIGN, signs } from './velocity-place.ts';

const TO = '0x00000000000000000000000000000000000000aa';
const abi = [...erc20Abi, ...parseAbi(['function increaseAllowance(address spender, uint256 value) returns (bool)'])];

const unsigned = (signWith: string, fields: object) => ({
  signWith,
  type: 'TRANSACTION_TYPE_ETHEREUM',
  unsignedTransaction: serializeTransaction({ chainId: 8453, nonce: 0, gas: 90_000n, ...fields } as never),
});

const usdc = (signWith: string, functionName: string, args: readonly unknown[], more: object = {}) => {
  const data = encodeFunctionData({ abi, functionName, args } as never);
  return unsigned(signWith, { type: 'eip1559', maxFeePerGas: 1n, maxPriorityFeePerGas: 1n, to: USDC, data, ...more });
};

const typed = (signWith: string, primaryType: string, types: object, message: object, domain: object = {}) => ({
  signWith,
  payload: JSON.stringify({
    primaryType,
    types: { EIP712Domain: DOMAIN, ...types },
    message,
    domain: { name: 'USD Coin', version: '2', chainId: 8453, verifyingContract: USDC, ...domain },
  }),
  encoding: 'PAYLOAD_ENCODING_EIP712',
  hashFunction: 'HASH_FUNCTION_NO_OP',
});
const member = (text: string) => {
  const [type, name] = text.split(' ');
  return { type, name };
};
const DOMAIN = ['string name', 'string version', 'uint256 chainId', 'address verifyingContract'].map(member);
const EIP_3009 = [
  'address from',
  'address to',
  'uint256 value',
  'uint256 validAfter',
  'uint256 validBefore',
  'bytes32 nonce',
].map(member);
const PERMIT = ['address owner', 'address spender', 'uint256 value', 'uint256 nonce', 'uint256 deadline'].map(member);
const PERMIT_TRANSFER = ['TokenPermissions permitted', 'address spender', 'uint256 nonce', 'uint256 deadline'].map(member);
const TokenPermissions = ['address token', 'uint256 amount'].map(member);
const DOMAIN_OF_PERMIT2 = DOMAIN.filter(({ name }) => name !== 'version');
const PERMIT2 = '0x000000000022d473030f116ddee9f6b43ac78ba3';
const WORD = `0x${'11'.repeat(32)}`;
const UNREADABLE = /what the activity takes cannot be read/;
const raw = (payload: string, more: object = {}) => ({
  signWith: '',
  payload,
  encoding: 'PAYLOAD_ENCODING_HEXADECIMAL',
  hashFunction: 'HASH_FUNCTION_NO_OP',
  ...more,
});

/** What takes 101 USDC, or may take all, in another way. */
const WAYS: readonly [what: string, ask: (address: string) => [type: string, parameters: object], text: RegExp][] = [
  ['a transfer', (a) => [SIGN, usdc(a, 'transfer', [TO, 101n])], EXCEEDED],
  ['an approval', (a) => [SIGN, usdc(a, 'approve', [TO, 101n])], EXCEEDED],
  ['an approval without a limit', (a) => [SIGN, usdc(a, 'approve', [TO, maxUint256])], EXCEEDED],
  ['increaseAllowance', (a) => [SIGN, usdc(a, 'increaseAllowance', [TO, 101n])], EXCEEDED],
  ['transferFrom of itself', (a) => [SIGN, usdc(a, 'transferFrom', [a, TO, 101n])], EXCEEDED],
  [
    'a transaction without a chain',
    (a) => [
      SIGN,
      usdc(a, 'transfer', [TO, 101n], {
        type: 'legacy',
        chainId: undefined,
        gasPrice: 1n,
        maxFeePerGas: undefined,
        maxPriorityFeePerGas: undefined,
      }),
    ],
    EXCEEDED,
  ],
  [
    'arguments with a rest',
    (a) => [
      SIGN,
      unsigned(a, {
        type: 'legacy',
        gasPrice: 1n,
        to: USDC,
        data: `${encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [TO, 101n] })}00`,
      }),
    ],
    EXCEEDED,
  ],
  [
    'multicall',
    (a) => [SIGN, unsigned(a, { type: 'legacy', gasPrice: 1n, to: USDC, data: `0xac9650d8${'00'.repeat(64)}` })],
    UNREADABLE,
  ],
  [
    'the first version of the kind',
    (a) => [
      'SIGN_TRANSACTION',
      (({ signWith, ...rest }) => ({ privateKeyId: signWith, ...rest }))(usdc(a, 'transfer', [TO, 101n])),
    ],
    EXCEEDED,
  ],
  ['another spelling of the account', (a) => [SIGN, usdc(a.toLowerCase(), 'transfer', [TO, 101n])], EXCEEDED],
  [
    'a payment by x402 (EIP-3009)',
    (a) => [
      'SIGN_RAW_PAYLOAD_V2',
      typed(
        a,
        'TransferWithAuthorization',
        { TransferWithAuthorization: EIP_3009 },
        { from: a, to: TO, value: '101', validAfter: '0', validBefore: '9999999999', nonce: WORD },
      ),
    ],
    EXCEEDED,
  ],
  [
    'a permit',
    (a) => [
      'SIGN_RAW_PAYLOAD_V2',
      typed(a, 'Permit', { Permit: PERMIT }, { owner: a, spender: TO, value: '101', nonce: '0', deadline: '9999999999' }),
    ],
    EXCEEDED,
  ],
  [
    'a transfer by Permit2',
    (a) => [
      'SIGN_RAW_PAYLOAD_V2',
      typed(
        a,
        'PermitTransferFrom',
        { EIP712Domain: DOMAIN_OF_PERMIT2, PermitTransferFrom: PERMIT_TRANSFER, TokenPermissions },
        { permitted: { token: USDC, amount: '101' }, spender: TO, nonce: '0', deadline: '9999999999' },
        { name: 'Permit2', version: undefined, verifyingContract: PERMIT2 },
      ),
    ],
    EXCEEDED,
  ],
  [
    'a bridge that burns without an allowance',
    (a) => [SIGN, unsigned(a, { type: 'legacy', gasPrice: 1n, to: TO, data: `0x7b3a3c8b${'00'.repeat(128)}` })],
    UNREADABLE,
  ],
  [
    'a permit under another name',
    (a) => [
      'SIGN_RAW_PAYLOAD_V2',
      typed(a, 'Other', { Other: PERMIT }, { owner: a, spender: TO, value: '1', nonce: '0', deadline: '9999999999' }),
    ],
    UNREADABLE,
  ],
  [
    'an authorization for every chain (EIP-7702)',
    (a) => [
      'SIGN_RAW_PAYLOAD_V2',
      raw(JSON.stringify({ chainId: '0', address: TO, nonce: '0' }), {
        signWith: a,
        encoding: 'PAYLOAD_ENCODING_EIP7702_AUTHORIZATION',
      }),
    ],
    UNREADABLE,
  ],
  ['the digest of a transaction', (a) => ['SIGN_RAW_PAYLOAD_V2', raw('33'.repeat(32), { signWith: a })], UNREADABLE],
  [
    'a digest among payloads',
    (a) => [
      'SIGN_RAW_PAYLOADS',
      (({ payload, ...rest }) => ({ payloads: [payload], ...rest }))(raw('44'.repeat(32), { signWith: a })),
    ],
    UNREADABLE,
  ],
];
test('several assets with different decimals are summed in whole units', async () => {
  const place = await newPlace();
  const definition = [
    { caip19: 'eip155:1/slip44:60', decimals: '18' },
    { caip19: `eip155:8453/erc20:${USDC.toUpperCase().replace('0X', '0x')}`, decimals: '6' },
  ];
  const parameters = {
    ...ALWAYS,
    identifier: 'sum',
    dataSource: { chainAssetTransfer: { definition } },
    aggregation: aggregation({ threshold: '1.000000000000000001' }),
  };
  await control(place, velocityControl(parameters));
  await signs(place, usdc(place.addresses[0], 'transfer', [TO, 999_999n]));
  await exceeds(place, signWei(place.addresses[0], 10n ** 12n + 2n), /left of 1\.000000000000000001/);
  await signs(place, signWei(place.addresses[0], 10n ** 12n + 1n));
  await exceeds(place, signWei(place.addresses[0], 1n), / 0 left/);
});
test('no other way of signing passes a limit of a token', async () => {
  const place = await newPlace();
  const amounts = aggregation({ threshold: '0.0001' });
  await control(place, velocityControl({ ...ALWAYS, identifier: 'usdc', dataSource: transfers(), aggregation: amounts }));
  for (const [what, ask, text] of WAYS) {
    const [type, parameters] = ask(place.addresses[0]);
    const answer = await place.client.submit(type, parameters);
    assert.match(answer.body.message ?? answer.text, text, what);
    assert.equal(answer.status, 403, what);
  }
  // What was approved stays counted, also after the allowance is taken back.
  await signs(place, usdc(place.addresses[0], 'approve', [TO, 60n]));
  await signs(place, usdc(place.addresses[0], 'approve', [TO, 0n]));
  await exceeds(place, usdc(place.addresses[0], 'approve', [TO, 41n]));
  await signs(place, usdc(place.addresses[0], 'transfer', [TO, 40n]));
  // Nothing of the token leaves.
  await signs(place, signWei(place.addresses[0], 1n));
});

/** Wei of a limit of 100, and whether they are more than it. */
const OF_COIN: readonly [what: string, fields: object, isBeyond: boolean][] = [
  ['a contract creation', { type: 'legacy', gasPrice: 0n, data: '0x6000', value: 101n }, true],
  ['a value beside a call', { type: 'legacy', gasPrice: 0n, to: USDC, data: '0xd0e30db0', value: 101n }, true],
  ['a fee as the payment', { type: 'legacy', gas: 101n, gasPrice: 1n, to: TO }, true],
  ['a great value', { type: 'legacy', gasPrice: 0n, to: TO, value: 2n ** 256n - 1n }, true],
  ['a value without a chain', { type: 'legacy', chainId: undefined, gasPrice: 0n, to: TO, value: 101n }, true],
  ['a value on another chain', { type: 'legacy', chainId: 10, gasPrice: 0n, to: TO, value: 101n }, false],
];

test('no other way of signing passes a limit of a coin, and what comes back takes nothing', async () => {
  const place = await newPlace();
  const [a] = place.addresses;
  const definition = [{ caip19: 'eip155:8453/slip44:60', decimals: '18' }];
  const countersign = { enforcement: 'ALWAYS', fees: true };
  await control(place, weiControl('coin', 100n, { countersign, dataSource: { chainAssetTransfer: { definition } } }));
  for (const [what, fields, isBeyond] of OF_COIN) {
    const answer = await place.client.submit(SIGN, unsigned(a, fields));
    assert.equal(answer.status, isBeyond ? 403 : 200, `${what}: ${answer.text}`);
    if (isBeyond) assert.match(answer.body.message, EXCEEDED, what);
  }
  await signs(place, unsigned(a, { type: 'legacy', gasPrice: 0n, to: a as `0x${string}`, value: 101n }));
  await signs(place, unsigned(a, { type: 'legacy', gasPrice: 0n, to: TO, value: 100n }));
});

test('a batch is one sum: all or nothing', async () => {
  const place = await newPlace();
  await control(
    place,
    velocityControl({
      ...ALWAYS,
      identifier: 'usdc',
      dataSource: transfers(),
      aggregation: aggregation({ threshold: '0.0001' }),
    }),
  );
  const [a] = place.addresses;
  const permit = (value: string) =>
    typed(a, 'Permit', { Permit: PERMIT }, { owner: a, spender: TO, value, nonce: '0', deadline: '9999999999' });
  const { payload: _, ...how } = permit('0');
  await exceeds(place, { ...how, payloads: ['60', '41'].map((value) => permit(value).payload) }, EXCEEDED, 'SIGN_RAW_PAYLOADS');
  await signs(place, { ...how, payloads: ['60', '40'].map((value) => permit(value).payload) }, 'SIGN_RAW_PAYLOADS');
});

test('COUNT_ONLY_READABLE signs what cannot be read, and counts the rest', async () => {
  const place = await newPlace();
  await control(place, weiControl('readable', 5n, { countersign: { enforcement: 'ALWAYS', unreadable: 'COUNT_ONLY_READABLE' } }));
  await signs(place, raw('55'.repeat(32), { signWith: place.addresses[0] }), 'SIGN_RAW_PAYLOAD_V2');
  await exceeds(place, signWei(place.addresses[0], 6n));
});
