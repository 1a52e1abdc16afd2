/** An example of each row of docs/spending.md, "What counts", and of each attempt to move an asset unseen. */
import { evmTransfers } from '../../src/chains/ethereum/read-transfers.ts';
import {
  authorization,
  call,
  ether,
  evm,
  type Hex,
  MAX,
  ME,
  OTHER,
  onToken,
  payload,
  type Row,
  typed,
  USDC,
  usdc,
  WORD,
  YOU,
  ZERO,
} from './transfers-making.ts';
import { bitcoinRows, solanaRows, sparkRows, tempoRows, tronRows } from './transfers-rows-others.ts';
import { messages, typedText, witnessTypes } from './transfers-typed.ts';

const evmRows: Row[] = [
  ['the value of a transaction', ether, 'transfer', evm({ value: 5n, to: YOU }), evm({ value: 5n, data: '0x12345678' })],
  ['the value of a contract creation', ether, 'transfer', evm({ value: 5n, to: undefined, data: '0x6000' })],
  ['value or tokens to the account itself', ether, 'nothing', evm({ value: 5n, to: ME })],
  [
    'the native coin of a chain where it is a token too (Arc, Celo, Metis, Moonbeam)',
    { ...usdc, chain: '5042', token: `0x36${'0'.repeat(38)}` },
    'transfer',
    evm({ chainId: 5042, to: YOU, value: 1n }),
    evm({ type: 'legacy', chainId: undefined, to: YOU, value: 1n }),
  ],
  [
    'the gas limit at the highest price, and blobs',
    ether,
    'fee',
    evm({ gas: 21_000n, maxFeePerGas: 2n }),
    evm({ type: 'legacy', gas: 9n, gasPrice: 2n }),
  ],
  ['`transfer`, `transferWithMemo`', usdc, 'transfer', onToken('transfer', YOU, 5n), onToken('transferWithMemo', YOU, 5n, WORD)],
  [
    '`transferFrom` of the signer, also of Permit2',
    usdc,
    'transfer',
    onToken('transferFrom', ME, YOU, 5n),
    evm({ to: OTHER, data: call('transferFrom', ME, YOU, 5n, USDC) }),
    onToken('transferFromWithMemo', ME, YOU, 5n, WORD),
  ],
  ['`transferFrom` of another account', usdc, 'nothing', onToken('transferFrom', OTHER, YOU, 5n)],
  [
    '`approve`, `increaseAllowance`, `approve` of Permit2, also of the signer itself',
    usdc,
    'approval',
    onToken('approve', YOU, 5n),
    onToken('increaseAllowance', YOU, 5n),
    onToken('approve', ME, 5n),
    evm({ to: OTHER, data: call('approve', USDC, ME, 5n, 9) }),
    evm({ to: OTHER, data: call('approve', USDC, YOU, 5n, 9) }),
  ],
  [
    'the greatest allowance',
    usdc,
    'unlimited approval',
    onToken('approve', YOU, MAX),
    evm({ to: OTHER, data: call('approve', USDC, YOU, 2n ** 160n - 1n, 9) }),
  ],
  [
    '`approve` of zero, `decreaseAllowance`, `cancelAuthorization`',
    usdc,
    'nothing',
    onToken('approve', YOU, 0n),
    onToken('decreaseAllowance', YOU, 5n),
    onToken('cancelAuthorization', ME, WORD, 27, WORD, WORD),
  ],
  [
    '`permit` of the signer, as a call',
    usdc,
    'permit',
    onToken('permit', ME, YOU, 5n, 9n, 27, WORD, WORD),
    onToken('permit', ME, YOU, 5n, 9n, '0x11'),
  ],
  [
    '`transferWithAuthorization`, `receiveWithAuthorization` of the signer, as calls',
    usdc,
    'transfer',
    ...['transferWithAuthorization', 'receiveWithAuthorization'].flatMap((name) => [
      onToken(name, ME, YOU, 5n, 0n, 9n, WORD, 27, WORD, WORD),
      onToken(name, ME, YOU, 5n, 0n, 9n, WORD, '0x11'),
    ]),
  ],
  [
    'the same of another account',
    usdc,
    'nothing',
    onToken('permit', OTHER, YOU, 5n, 9n, 27, WORD, WORD),
    onToken('transferWithAuthorization', OTHER, YOU, 5n, 0n, 9n, WORD, '0x11'),
  ],
  [
    'another call of the token, `multicall` too, and arguments that no compiler writes',
    usdc,
    'not readable (call)',
    onToken('multicall', [call('transfer', YOU, 5n)]),
    onToken('transferAndCall', YOU, 5n, '0x'),
    evm({ data: '0xa9059cbb' }),
    evm({ data: `0xa9059cbb01${call('transfer', YOU, 5n).slice(12)}` as Hex }),
  ],
  ['another call of another contract', usdc, 'nothing', evm({ to: OTHER, data: call('multicall', [call('transfer', YOU, 5n)]) })],
  [
    'another call of a contract of the chain itself, such as a bridge',
    usdc,
    'not readable (call)',
    evm({ to: `0x42${'0'.repeat(36)}10`, data: '0x32b7006d' }),
    evm({ chainId: 8453, to: `0xdec0${'0'.repeat(36)}`, data: '0x12345678' }),
  ],
  [
    '`outboundTransfer` of a gateway of Arbitrum, on other chains than Ethereum',
    usdc,
    'not readable (call)',
    evm({ to: OTHER, data: call('outboundTransfer', YOU, YOU, 5n, '0x') }),
    evm({ to: OTHER, data: call('outboundTransfer', YOU, YOU, 5n, 0n, 0n, '0x') }),
    evm({ to: OTHER, type: 'legacy', chainId: undefined, data: call('outboundTransfer', YOU, YOU, 5n, '0x') }),
  ],
  [
    'the same on Ethereum, where a gateway needs an approval',
    { ...usdc, chain: '1' },
    'nothing',
    evm({ chainId: 1, to: OTHER, data: call('outboundTransfer', YOU, YOU, 5n, 0n, 0n, '0x') }),
  ],
  ['a call of the account itself, with data', usdc, 'not readable (call)', evm({ to: ME, data: call('transfer', YOU, 5n) })],
  [
    'each call of a batch',
    usdc,
    'transfer',
    evmTransfers({
      chainId: 8453n,
      from: ME,
      fee: 0n,
      calls: [
        { to: YOU, value: 1n, data: '0x' },
        { to: USDC, value: 0n, data: call('transfer', YOU, 5n) },
      ],
    }),
  ],
  [
    'a transaction without a chain id: on every chain',
    usdc,
    'transfer',
    evm({ type: 'legacy', chainId: undefined, data: call('transfer', YOU, 5n) }),
  ],
  ['the same on another chain', { ...usdc, chain: '1' }, 'nothing', onToken('transfer', YOU, 5n)],
  [
    'an authorization (EIP-7702), also without a chain or in a transaction',
    usdc,
    'not readable (authorization)',
    authorization(YOU),
    authorization(YOU, 0),
    evm({
      type: 'eip7702',
      to: YOU,
      authorizationList: [{ address: YOU, chainId: 8453, nonce: 1, r: WORD, s: WORD, yParity: 0 }],
    }),
  ],
  ['an authorization for the zero address', usdc, 'nothing', authorization(ZERO)],
];

const typedRows: Row[] = [
  ['`Permit` (EIP-2612)', usdc, 'permit', typed('Permit')],
  ['`Permit` of DAI', usdc, 'unlimited permit', typed('DaiPermit')],
  [
    '`TransferWithAuthorization`, `ReceiveWithAuthorization` (EIP-3009, x402)',
    usdc,
    'permit',
    typed('TransferWithAuthorization'),
    typed('ReceiveWithAuthorization'),
  ],
  ['`CancelAuthorization`', usdc, 'nothing', typed('CancelAuthorization')],
  ['`PermitSingle`, `PermitBatch` of Permit2', usdc, 'permit', typed('PermitSingle'), typed('PermitBatch')],
  [
    '`PermitTransferFrom`, `PermitBatchTransferFrom`, and both with a witness',
    usdc,
    'permit',
    typed('PermitTransferFrom'),
    typed('PermitBatchTransferFrom'),
    typed('PermitWitnessTransferFrom'),
    typed('PermitBatchWitnessTransferFrom'),
  ],
  [
    'the same types without a chain or a contract',
    usdc,
    'not readable (typed-data)',
    ...['chainId', 'verifyingContract'].flatMap((left) =>
      Object.values(messages)
        .filter(({ primaryType }) => primaryType !== 'CancelAuthorization')
        .map((each) => payload(typedText(each, left))),
    ),
  ],
  [
    'the same names with other members',
    usdc,
    'not readable (typed-data)',
    payload(typedText({ ...messages.Permit, types: { Permit: messages.Permit.types.Permit!.slice(0, 4) } })),
    payload(
      typedText({
        ...messages.PermitWitnessTransferFrom,
        types: { ...witnessTypes, TokenPermissions: [...witnessTypes.TokenPermissions].reverse() },
      }),
    ),
  ],
  [
    'other typed data',
    usdc,
    'not readable (typed-data)',
    payload(typedText({ primaryType: 'Mail', types: { Mail: [{ name: 'text', type: 'string' }] }, message: { text: 'x' } })),
    payload('{'),
  ],
  [
    'other typed data for another chain',
    { ...usdc, chain: '1' },
    'nothing',
    payload(typedText({ primaryType: 'Mail', types: { Mail: [{ name: 'text', type: 'string' }] }, message: { text: 'x' } })),
  ],
  [
    'a digest or a message',
    usdc,
    'not readable (bytes)',
    payload('00'.repeat(32), 'PAYLOAD_ENCODING_HEXADECIMAL'),
    payload('hello', 'PAYLOAD_ENCODING_TEXT_UTF8'),
    payload('00', 'PAYLOAD_ENCODING_HEXADECIMAL', 'CURVE_P256'),
  ],
];

/** By the heading in the document. */
export const rows: Readonly<Record<string, readonly Row[]>> = {
  'EVM chains': evmRows,
  'Typed data and raw payloads': typedRows,
  Solana: solanaRows,
  Bitcoin: bitcoinRows,
  Tron: tronRows,
  Tempo: tempoRows,
  Spark: sparkRows,
};
