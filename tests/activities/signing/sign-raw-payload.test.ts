import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { before, test } from 'node:test';
import { ethers } from 'ethers';
import { hashTypedData, keccak256, recoverTypedDataAddress, serializeSignature, type TypedDataDefinition } from 'viem';
import { recoverAuthorizationAddress } from 'viem/utils';
import { ethereumAccount, resultOf, submitPath } from '../../support/client.ts';
import { NOBODY, refused, refusesEach } from '../../support/refusals.ts';
import { agreed, sharedPair } from '../support.ts';
import { assertSigned, type Signature } from './verify.ts';

type Signer = { curve: string; names: string[]; publicKey: string };

const { instance, pair } = await sharedPair();
let address: string;
/** A wallet account and a private key on each curve, with everything that `signWith` may call them. */
const signers: Signer[] = [];

before(async () => {
  const curves: [string, string][] = [
    ['CURVE_SECP256K1', 'ADDRESS_FORMAT_ETHEREUM'],
    ['CURVE_SECP256K1', 'ADDRESS_FORMAT_UNCOMPRESSED'],
    ['CURVE_P256', 'ADDRESS_FORMAT_COMPRESSED'],
    ['CURVE_ED25519', 'ADDRESS_FORMAT_SOLANA'],
  ];
  const accounts = curves.map(([curve, addressFormat], i) => ({ ...ethereumAccount(i), curve, addressFormat }));
  const made = resultOf(await instance.root.submit('CREATE_WALLET', { walletName: 'W', accounts }), 'createWalletResult');
  address = made.addresses[0];
  const listed = (await instance.root.query('list_wallet_accounts', { walletId: made.walletId })).body.accounts;
  for (const a of listed) signers.push({ curve: a.curve, names: [a.address], publicKey: a.publicKey });
  const privateKeys = curves.map(([curve, format], i) => ({
    privateKeyName: `K${i}`,
    curve,
    privateKeyTags: [],
    addressFormats: [format],
  }));
  resultOf(await instance.root.submit('CREATE_PRIVATE_KEYS_V2', { privateKeys }), 'createPrivateKeysResultV2');
  for (const k of (await instance.root.query('list_private_keys')).body.privateKeys)
    signers.push({
      curve: k.curve,
      names: [k.privateKeyId, k.privateKeyId.toUpperCase(), k.addresses[0].address],
      publicKey: k.publicKey,
    });
  for (const signer of signers)
    for (const name of [...signer.names])
      if (/^0x/.test(name)) signer.names.push(name.toLowerCase(), `0x${name.slice(2).toUpperCase()}`);
});

const TYPE = 'SIGN_RAW_PAYLOAD_V2';
const KEY = 'signRawPayloadResult';
const ENCODING = { hex: 'PAYLOAD_ENCODING_HEXADECIMAL', text: 'PAYLOAD_ENCODING_TEXT_UTF8' };

async function sign(parameters: object): Promise<Signature> {
  return resultOf(await instance.root.submit(TYPE, parameters), KEY);
}

const params = (more: object = {}) => ({
  signWith: address,
  payload: 'deadbeef',
  encoding: ENCODING.hex,
  hashFunction: 'HASH_FUNCTION_KECCAK256',
  ...more,
});

const digests: [string, (bytes: Buffer) => Uint8Array][] = [
  ['HASH_FUNCTION_SHA256', (b) => createHash('sha256').update(b).digest()],
  ['HASH_FUNCTION_KECCAK256', (b) => keccak256(b, 'bytes')],
];

test('every signer, by each of its names, in both encodings and with every hash function of its curve', async () => {
  for (const { curve, names, publicKey } of signers)
    for (const signWith of names)
      for (const [encoding, payload, plain] of [
        [ENCODING.hex, '00ff80', Buffer.from('00ff80', 'hex')],
        [ENCODING.hex, '0x00FF80', Buffer.from('00ff80', 'hex')],
        [ENCODING.hex, '', Buffer.alloc(0)],
        [ENCODING.text, '00ff80', Buffer.from('00ff80')],
        [ENCODING.text, 'Grüße, 世界 🌍', Buffer.from('Grüße, 世界 🌍')],
      ] as const) {
        if (curve === 'CURVE_ED25519') {
          const signature = await sign({ signWith, payload, encoding, hashFunction: 'HASH_FUNCTION_NOT_APPLICABLE' });
          assertSigned(curve, publicKey, plain, signature);
          continue;
        }
        for (const [hashFunction, digest] of digests)
          assertSigned(curve, publicKey, digest(plain), await sign({ signWith, payload, encoding, hashFunction }));
        const payload32 = createHash('sha256').update(signWith).digest();
        assertSigned(
          curve,
          publicKey,
          payload32,
          await sign({
            signWith,
            payload: payload32.toString('hex'),
            encoding: ENCODING.hex,
            hashFunction: 'HASH_FUNCTION_NO_OP',
          }),
        );
      }
});

test('what ethers recovers from a personal message is the address', async () => {
  const hash = ethers.hashMessage('Hello');
  const { r, s, v } = await sign(params({ payload: hash, hashFunction: 'HASH_FUNCTION_NO_OP' }));
  assert.equal(ethers.recoverAddress(hash, { r: `0x${r}`, s: `0x${s}`, yParity: Number(v) as 0 | 1 }), address);
});

test('EIP-712 typed data, recovered by viem and ethers', async () => {
  const data = {
    domain: { name: 'Ether Mail', version: '1', chainId: 1, verifyingContract: '0xCcCCccccCCCCcCCCCCCcCcCccCcCCCcCcccccccC' },
    types: {
      EIP712Domain: [
        { name: 'name', type: 'string' },
        { name: 'version', type: 'string' },
        { name: 'chainId', type: 'uint256' },
        { name: 'verifyingContract', type: 'address' },
      ],
      Person: [
        { name: 'name', type: 'string' },
        { name: 'wallets', type: 'address[]' },
      ],
      Mail: [
        { name: 'from', type: 'Person' },
        { name: 'contents', type: 'string' },
        { name: 'amount', type: 'uint256' },
      ],
    },
    primaryType: 'Mail',
    message: {
      from: { name: 'Cow', wallets: ['0xCD2a3d9F938E13CD947Ec05AbC7FE734Df8DD826'] },
      contents: 'Hello, Bob!',
      amount: '340282366920938463463374607431768211456',
    },
  } as const;
  const encoding = 'PAYLOAD_ENCODING_EIP712';
  const { r, s, v } = await sign(params({ payload: JSON.stringify(data), encoding, hashFunction: 'HASH_FUNCTION_NO_OP' }));
  const typed = { ...data, message: { ...data.message, amount: BigInt(data.message.amount) } } as unknown as TypedDataDefinition;
  const signature = serializeSignature({ r: `0x${r}`, s: `0x${s}`, yParity: Number(v) });
  assert.equal(await recoverTypedDataAddress({ ...typed, signature }), address);
  assert.equal(ethers.recoverAddress(hashTypedData(typed), signature), address);
  for (const [payload, text] of [
    ['{', /JSON/i],
    ['{}', /types/],
    [JSON.stringify({ ...data, primaryType: 'Nothing' }), /primaryType/],
  ] as const)
    refused(
      await instance.root.submit(TYPE, params({ payload, encoding, hashFunction: 'HASH_FUNCTION_NO_OP' })),
      [400, 'REQUEST_INVALID', text],
      'parameters.payload',
    );
});

test('EIP-7702 authorizations, recovered by viem', async () => {
  const authorization = { chainId: 11155111, address: '0x000000000000000000000000000000000000dEaD', nonce: 7 } as const;
  const { r, s, v } = await sign(
    params({
      payload: JSON.stringify(authorization),
      encoding: 'PAYLOAD_ENCODING_EIP7702_AUTHORIZATION',
      hashFunction: 'HASH_FUNCTION_NO_OP',
    }),
  );
  const signature = serializeSignature({ r: `0x${r}`, s: `0x${s}`, yParity: Number(v) });
  assert.equal(await recoverAuthorizationAddress({ authorization, signature }), address);
});

test('ECDSA is deterministic: the same payload has the same signature', async () => {
  assert.deepEqual(await sign(params()), await sign(params()));
});

test('version 1 names the key `privateKeyId` and has the same result', async () => {
  const key = signers.find((s) => s.curve === 'CURVE_SECP256K1' && s.names.length > 1)!;
  const { signWith: _, ...rest } = params();
  const sent = { privateKeyId: key.names[0]!, ...rest };
  const answer = await instance.root.submit('SIGN_RAW_PAYLOAD', sent);
  const result = resultOf(answer, KEY);
  assertSigned(key.curve, key.publicKey, keccak256('0xdeadbeef', 'bytes'), result);
  const { activity } = (await instance.root.query('get_activity', { activityId: answer.body.activity.id })).body;
  assert.deepEqual([activity.intent, activity.result], [{ signRawPayloadIntent: sent }, { [KEY]: result }]);
  refused(await instance.root.submit('SIGN_RAW_PAYLOAD', params()), [400, 'REQUEST_INVALID', /privateKeyId/]);
});

test('an unknown signer, a wallet’s id, and the signer of another organization', async () => {
  const made = await agreed(pair, 'CREATE_WALLET', { walletName: 'Theirs', accounts: [ethereumAccount()] });
  const theirs = resultOf(made, 'createWalletResult');
  const wanted: [number, string, RegExp] = [404, 'UNSPECIFIED', /signer not found/];
  for (const signWith of ['nothing', '0x00', NOBODY, theirs.walletId, theirs.addresses[0]])
    refused(await instance.root.submit(TYPE, params({ signWith })), wanted);
  const [first] = pair.clients;
  for (const signWith of [address, signers[5]!.names[0]]) {
    const answer = await agreed(pair, TYPE, params({ signWith }));
    assert.equal(answer.body.activity.status, 'ACTIVITY_STATUS_FAILED');
    assert.match(answer.body.activity.failure.message, /signer not found/);
    assert.equal(answer.body.activity.failure.code, 5);
  }
  assert.equal((await first.query('whoami')).status, 200);
});

test('bad parameters are named', async () => {
  const by = (curve: string) => signers.find((s) => s.curve === curve)!.names[0]!;
  await refusesEach(instance.root, TYPE, [
    ...['abc', 'zz', '0x0x00', '0xabc', ' ab', 'ab\n'].map(
      (payload) => [params({ payload }), 'parameters.payload', /must be hex/] as [unknown, string, RegExp],
    ),
    [params({ hashFunction: 'HASH_FUNCTION_NO_OP' }), 'parameters.payload', /32 bytes, not 4/],
    [params({ hashFunction: 'HASH_FUNCTION_NOT_APPLICABLE' }), 'parameters.hashFunction', /invalid hash function/],
    [params({ signWith: by('CURVE_ED25519') }), 'parameters.hashFunction', /HASH_FUNCTION_NOT_APPLICABLE/],
    [
      params({ signWith: by('CURVE_P256'), encoding: 'PAYLOAD_ENCODING_EIP712', hashFunction: 'HASH_FUNCTION_NO_OP' }),
      'parameters.encoding',
      /CURVE_SECP256K1/,
    ],
    [
      params({ signWith: by('CURVE_ED25519'), encoding: 'PAYLOAD_ENCODING_EIP712', hashFunction: 'HASH_FUNCTION_NO_OP' }),
      'parameters.encoding',
      /CURVE_SECP256K1/,
    ],
    [params({ encoding: 'PAYLOAD_ENCODING_EIP712', payload: '{}' }), 'parameters.hashFunction', /HASH_FUNCTION_NO_OP/],
  ]);
});

test('the second approval several times at the same instant gives one signature and two votes', async () => {
  const made = resultOf(
    await agreed(pair, 'CREATE_WALLET', { walletName: 'Raced', accounts: [ethereumAccount()] }),
    'createWalletResult',
  );
  const [first, second] = pair.clients;
  for (let i = 0; i < 5; i++) {
    const body = first.bodyOf(TYPE, params({ signWith: made.addresses[0] }));
    await first.send(submitPath(TYPE), body);
    const answers = await Promise.all([first, second, second, second].map((c) => c.send(submitPath(TYPE), body)));
    for (const answer of answers) assert.equal(answer.status, 200, answer.text);
    const last = (await second.send(submitPath(TYPE), body)).body.activity;
    assert.equal(last.status, 'ACTIVITY_STATUS_COMPLETED');
    assert.equal(last.votes.length, 2);
  }
});
