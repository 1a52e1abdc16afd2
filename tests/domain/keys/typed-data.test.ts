import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ApiKeyStamper } from '@turnkey/api-key-stamper';
import { TurnkeyClient } from '@turnkey/http';
import { createAccount } from '@turnkey/viem';
import { recoverTypedDataAddress, serializeSignature, type TypedDataDefinition } from 'viem';
import type { Signature } from '../../activities/signing/verify.ts';
import { newWallet } from '../../e2e/authority.ts';
import { type Answer, resultOf } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';

const instance = await sharedInstance();
const { root } = instance;
const address = (await newWallet(root)).addresses[0]!;

const TYPE = 'SIGN_RAW_PAYLOAD_V2';
const EIP712Domain = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
];
const domain = { name: 'USD Coin', version: '2', chainId: 8453, verifyingContract: `0x${'83'.repeat(20)}` } as const;
const types = { Pay: [{ name: 'to', type: 'address' }] };
/** As x402 clients give it to an account: the domain is in no type. */
const asked = { domain, types, primaryType: 'Pay', message: { to: `0x${'11'.repeat(20)}` } } as const;
const declared = { ...asked, types: { EIP712Domain, ...types } };

const parametersOf = (payload: string) => ({
  signWith: address,
  payload,
  encoding: 'PAYLOAD_ENCODING_EIP712',
  hashFunction: 'HASH_FUNCTION_NO_OP',
});
const warningsOf = ({ headers }: Answer): string[] => headers.get('x-warnings')?.split(', ').map(decodeURIComponent) ?? [];
const EMPTY = /^EIP712_DOMAIN_EMPTY: parameters\.payload: the signed domain is empty, .*declare it there$/;

/** The payload that @turnkey/viem makes of typed data. */
async function sentByViem(typedData: object): Promise<string> {
  const { organizationId, ...keys } = instance.credentials;
  const client = new TurnkeyClient({ baseUrl: instance.url }, new ApiKeyStamper(keys));
  const account = await createAccount({ client: client as never, organizationId, signWith: address });
  await account.signTypedData(typedData as TypedDataDefinition);
  const { activities } = (await root.query('list_activities', { paginationOptions: { limit: '1' } })).body;
  return activities[0].intent.signRawPayloadIntentV2.payload;
}

async function signed(payload: string): Promise<{ answer: Answer; signer: string }> {
  const answer = await root.submit(TYPE, parametersOf(payload));
  const { r, s, v } = resultOf(answer, 'signRawPayloadResult') as Signature;
  const signature = serializeSignature({ r: `0x${r}`, s: `0x${s}`, yParity: Number(v) });
  return { answer, signer: await recoverTypedDataAddress({ ...(asked as TypedDataDefinition), signature }) };
}

test('typed data whose domain got lost is signed with a warning, which simulate_activity and why say too', async () => {
  const payload = await sentByViem(asked);
  assert.deepEqual(JSON.parse(payload).domain, {});
  const { answer, signer } = await signed(payload);
  assert.notEqual(signer, address, 'the signature is worthless');
  assert.equal(warningsOf(answer).length, 1);
  assert.match(warningsOf(answer)[0]!, EMPTY);
  const simulated = await root.query('simulate_activity', { type: `ACTIVITY_TYPE_${TYPE}`, parameters: parametersOf(payload) });
  const [{ code, text }] = simulated.body.warnings;
  assert.match(`${code}: ${text}`, EMPTY);
  const cli = fileURLToPath(new URL('../../../scripts/countersign.mjs', import.meta.url));
  const credentials = join(instance.dataDir, 'root-credentials.json');
  const args = [cli, 'why', answer.body.activity.id, '--url', instance.url, '--credentials', credentials];
  const told = await new Promise<string>((resolve) =>
    execFile(process.execPath, args, { env: { PATH: process.env.PATH } }, (_, stdout) => resolve(stdout)),
  );
  assert.ok(told.includes(`\n  warning: ${code}: ${text}\n`), told);
});

test('the declared domain mends it; one that is given without its type is signed whole', async () => {
  for (const payload of [await sentByViem(declared), JSON.stringify(asked)]) {
    const { answer, signer } = await signed(payload);
    assert.deepEqual([signer, warningsOf(answer)], [address, []]);
  }
  const parameters = parametersOf(JSON.stringify(asked));
  const simulated = await root.query('simulate_activity', { type: `ACTIVITY_TYPE_${TYPE}`, parameters });
  assert.equal('warnings' in simulated.body, false);
});

test('what of a domain no type declares is named, for each payload of several', async () => {
  const partly = JSON.stringify({ ...asked, types: { EIP712Domain: EIP712Domain.slice(0, 2), ...types } });
  const none = JSON.stringify({ ...asked, types: { EIP712Domain: [], ...types } });
  const { payload: _, ...rest } = parametersOf('');
  const answer = await root.submit('SIGN_RAW_PAYLOADS', { ...rest, payloads: [partly, JSON.stringify(declared), none] });
  const [first, second, ...more] = warningsOf(answer);
  assert.match(first!, /^EIP712_DOMAIN_NOT_COVERED: parameters\.payloads\[0\]: .* domain\.chainId, domain\.verifyingContract: /);
  assert.match(second!, /^EIP712_DOMAIN_EMPTY: parameters\.payloads\[2\]: /);
  assert.deepEqual(more, []);
});

test('refused data, and data that is not typed, has no warning', async () => {
  const refused = await root.submit(TYPE, parametersOf('{'));
  assert.deepEqual([refused.status, warningsOf(refused)], [400, []]);
  const bytes = { ...parametersOf('00'.repeat(32)), encoding: 'PAYLOAD_ENCODING_HEXADECIMAL' };
  assert.deepEqual(warningsOf(await root.submit(TYPE, bytes)), []);
});
