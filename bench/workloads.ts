/** The workloads, a row each: the requests, their preparation, and the work of the floor in their place. */
import { createECDH, randomBytes } from 'node:crypto';
import { FILLED, GIVEN } from './sending/workloads.ts';
import { newSession } from './stamp.ts';
import { ethereumTransfer, solanaTransfer } from './transactions.ts';
import type { Account, Mint, Person, Workload } from './types.ts';

const randomHex = (bytes: number) => randomBytes(bytes).toString('hex');

const SIGN = { path: '/public/v1/submit/sign_raw_payload', type: 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2' };
const SIGN_MANY = { path: '/public/v1/submit/sign_raw_payloads', type: 'ACTIVITY_TYPE_SIGN_RAW_PAYLOADS' };
const TRANSACTION = { path: '/public/v1/submit/sign_transaction', type: 'ACTIVITY_TYPE_SIGN_TRANSACTION_V2' };

const BIP32 = { pathFormat: 'PATH_FORMAT_BIP32', path: "m/44'/60'/0'/0/0" } as const;
export const ETHEREUM: Account = { ...BIP32, curve: 'CURVE_SECP256K1', addressFormat: 'ADDRESS_FORMAT_ETHEREUM' };
const P256: Account = { ...BIP32, curve: 'CURVE_P256', addressFormat: 'ADDRESS_FORMAT_COMPRESSED' };
const SOLANA: Account = {
  curve: 'CURVE_ED25519',
  pathFormat: 'PATH_FORMAT_BIP32',
  path: "m/44'/501'/0'/0'",
  addressFormat: 'ADDRESS_FORMAT_SOLANA',
};
const ETHEREUM_ADDRESS = `0x${'ab'.repeat(20)}`;
/** The address of Solana's memo program: any 32 bytes do. */
const SOLANA_ADDRESS = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr';

const ENCODING = 'PAYLOAD_ENCODING_HEXADECIMAL';
const PAYLOAD_BYTES = 140;
const payloadOf = (hashFunction: string) => (signWith: string) => ({
  signWith,
  payload: `0x${randomHex(PAYLOAD_BYTES)}`,
  encoding: ENCODING,
  hashFunction,
});

/** A root user with an API key of their own, and a wallet with one account. */
const subOrganizationOf = (_: string, index: number) => ({
  subOrganizationName: `Sub ${index}`,
  rootQuorumThreshold: 1,
  rootUsers: [
    {
      userName: 'Root',
      apiKeys: [{ apiKeyName: 'key', publicKey: newPublicKey(), curveType: 'API_KEY_CURVE_P256' }],
      authenticators: [],
      oauthProviders: [],
    },
  ],
  wallet: { walletName: 'Wallet', accounts: [ETHEREUM] },
});

function newPublicKey(): string {
  const pair = createECDH('prime256v1');
  return pair.generateKeys('hex', 'compressed');
}

const MANY = 64;
const RATE = 6000;
/** So that all of them end in time. */
const SHORT = { seconds: 1.5, rate: RATE, warmup: 3000 };

const RECIPIENT = Buffer.alloc(20, 0xcd);
const VALUE = 1_000_000_000_000_000;
const POLICIES = 10;
/** The last one allows the transfer that is sent; the others are about other recipients. */
const transferConditions = Array.from({ length: POLICIES }, (_, i) => {
  const to = i === POLICIES - 1 ? RECIPIENT.toString('hex') : (i + 1).toString(16).padStart(40, '0');
  return `activity.action == 'SIGN' && eth.tx.to == '0x${to}' && eth.tx.value <= ${2 * VALUE}`;
});

/** Enough that logins of one person seldom meet: each changes the person's organization. */
const PEOPLE = 64;

function otpLogin(person: Person, mint: Mint): object {
  const session = newSession();
  const { publicKey } = session;
  const { id, token } = mint(person, session);
  const message = JSON.stringify({ login: { publicKey }, tokenId: id, type: 'USAGE_TYPE_LOGIN' });
  const clientSignature = { publicKey, scheme: 'CLIENT_SIGNATURE_SCHEME_API_P256', message, signature: session.signed(message) };
  return { verificationToken: token, publicKey, clientSignature };
}

const LOGIN = {
  account: P256,
  someAddress: ETHEREUM_ADDRESS,
  parameters: () => ({}),
  concurrencies: [16],
  seconds: 1,
  rate: 3500,
  warmup: 800,
};

/** The workload that `node bench/run.ts` has always measured. */
export const signRawPayload: Workload = {
  name: 'sign_raw_payload',
  ...SIGN,
  account: ETHEREUM,
  someAddress: ETHEREUM_ADDRESS,
  parameters: payloadOf('HASH_FUNCTION_KECCAK256'),
  work: 'secp256k1',
  rate: RATE,
  warmup: 15_000,
};

/** How many accounts are paid in turn. */
const PAID = 1000;
const paid = Array.from({ length: PAID }, (_, i) => Buffer.from((i + 1).toString(16).padStart(40, '0'), 'hex'));

/** `--only=velocity`: the root user pays one account after the other. */
export const payInTurn: Workload = {
  name: 'sign_transaction/in turn',
  ...TRANSACTION,
  account: ETHEREUM,
  someAddress: ETHEREUM_ADDRESS,
  parameters: (signWith, index) => ({
    signWith,
    unsignedTransaction: ethereumTransfer(paid[index % PAID]!, index, VALUE + index).toString('hex'),
    type: 'TRANSACTION_TYPE_ETHEREUM',
  }),
  work: 'ethereum-transfer',
  ...SHORT,
};

/** `--only=operations`. */
export const operations: readonly Workload[] = [
  {
    name: 'sign_raw_payload/ed25519',
    ...SIGN,
    account: SOLANA,
    someAddress: SOLANA_ADDRESS,
    parameters: payloadOf('HASH_FUNCTION_NOT_APPLICABLE'),
    work: 'ed25519',
    ...SHORT,
  },
  {
    name: 'sign_raw_payload/p256',
    ...SIGN,
    account: P256,
    someAddress: `02${'ab'.repeat(32)}`,
    parameters: payloadOf('HASH_FUNCTION_SHA256'),
    work: 'p256',
    ...SHORT,
  },
  {
    name: 'sign_transaction/ethereum',
    ...TRANSACTION,
    account: ETHEREUM,
    someAddress: ETHEREUM_ADDRESS,
    conditions: transferConditions,
    parameters: (signWith, index) => ({
      signWith,
      unsignedTransaction: ethereumTransfer(RECIPIENT, index, VALUE + index).toString('hex'),
      type: 'TRANSACTION_TYPE_ETHEREUM',
    }),
    work: 'ethereum-transfer',
    ...SHORT,
  },
  {
    name: 'sign_transaction/solana',
    ...TRANSACTION,
    account: SOLANA,
    someAddress: SOLANA_ADDRESS,
    parameters: (signWith, index) => ({
      signWith,
      unsignedTransaction: solanaTransfer(signWith, Buffer.alloc(32, 0xcd), VALUE + index).toString('hex'),
      type: 'TRANSACTION_TYPE_SOLANA',
    }),
    work: 'solana-transfer',
    ...SHORT,
  },
  {
    name: `sign_raw_payloads/${MANY}`,
    ...SIGN_MANY,
    account: ETHEREUM,
    someAddress: ETHEREUM_ADDRESS,
    parameters: (signWith) => ({
      signWith,
      payloads: Array.from({ length: MANY }, () => randomHex(32)),
      encoding: ENCODING,
      hashFunction: 'HASH_FUNCTION_NO_OP',
    }),
    work: 'secp256k1-digests',
    ...SHORT,
    rate: 1500,
    warmup: 400,
  },
  {
    name: 'create_sub_organization',
    path: '/public/v1/submit/create_sub_organization',
    type: 'ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V8',
    account: ETHEREUM,
    someAddress: ETHEREUM_ADDRESS,
    parameters: subOrganizationOf,
    work: 'new-wallet',
    ...SHORT,
    rate: 2500,
    warmup: 500,
    concurrencies: [1, 16],
  },
  {
    ...LOGIN,
    name: 'stamp_login',
    path: '/public/v1/submit/stamp_login',
    type: 'ACTIVITY_TYPE_STAMP_LOGIN',
    login: { people: PEOPLE, stampedBy: 'person', parameters: () => ({ publicKey: newPublicKey() }) },
    work: 'stamp-login',
  },
  {
    ...LOGIN,
    name: 'otp_login',
    path: '/public/v1/submit/otp_login',
    type: 'ACTIVITY_TYPE_OTP_LOGIN_V2',
    login: { people: PEOPLE, stampedBy: 'parent', parameters: otpLogin },
    work: 'otp-login',
  },
];

export function workloadNamed(name: string): Workload {
  const all = [signRawPayload, payInTurn, ...operations, GIVEN, FILLED];
  const found = all.find((workload) => workload.name === name);
  if (found === undefined) throw new Error(`there is no workload ${name}: ${all.map((workload) => workload.name).join(', ')}`);
  return found;
}

/** A body of its own for every `index` and millisecond. */
export function bodyOf(workload: Workload, organizationId: string, signWith: string, index: number, timestampMs: number): Buffer {
  return bodyWith(workload, organizationId, timestampMs, workload.parameters(signWith, index));
}

export function bodyWith({ type }: Workload, organizationId: string, timestampMs: number, parameters: object): Buffer {
  return Buffer.from(JSON.stringify({ type, timestampMs: String(timestampMs), organizationId, parameters }));
}
