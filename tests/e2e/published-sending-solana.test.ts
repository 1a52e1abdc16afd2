/** Published clients send on Solana, and read what became of it as they do. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { ComputeBudgetProgram, Connection, type PublicKey } from '@solana/web3.js';
import { ApiKeyStamper } from '@turnkey/api-key-stamper';
import { TurnkeyClient } from '@turnkey/http';
import { Turnkey } from '@turnkey/sdk-server';
import { newAccounts, sharedSending, transaction, transfer } from '../chain-io/sends/solana/support.ts';

const sending = await sharedSending();
const { instance, node } = sending;
const { url, credentials, root } = instance;
const { apiPublicKey, apiPrivateKey, organizationId } = credentials;
const client = new Turnkey({ apiBaseUrl: url, apiPublicKey, apiPrivateKey, defaultOrganizationId: organizationId }).apiClient();
const http = new TurnkeyClient({ baseUrl: url }, new ApiKeyStamper({ apiPublicKey, apiPrivateKey }));

let payer: PublicKey;
let other: PublicKey;
before(async () => {
  [payer, other] = (await newAccounts(sending, root, 2)) as [PublicKey, PublicKey];
});

const polled = (sendTransactionStatusId: string) =>
  client.pollTransactionStatus({ sendTransactionStatusId, pollingIntervalMs: 50 });

test('several signers, in version 2', async () => {
  const { sendTransactionStatusId } = await client.solSendTransaction({
    unsignedTransaction: transaction({ payer }, transfer(payer), transfer(other)),
    signWiths: [payer.toBase58(), other.toBase58()],
    caip2: 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG',
  });
  const { txStatus, solana, error } = await polled(sendTransactionStatusId);
  assert.deepEqual([txStatus, error], ['INCLUDED', undefined]);
  const { value } = await new Connection(node.url).getSignatureStatus(solana!.signature!);
  assert.equal(value?.err, null);
});

test('one signer, in version 1', async () => {
  const { activity } = await http.solSendTransaction({
    type: 'ACTIVITY_TYPE_SOL_SEND_TRANSACTION',
    timestampMs: String(instance.clock.now()),
    organizationId,
    parameters: {
      unsignedTransaction: transaction({ payer, legacy: true }, transfer(payer)),
      signWith: payer.toBase58(),
      caip2: 'solana:devnet',
    },
  } as never);
  const { txStatus } = await polled(activity.result.solSendTransactionResult!.sendTransactionStatusId);
  assert.equal(txStatus, 'INCLUDED');
});

test('one that fails: polling throws with the reason, and the status has it in parts', async () => {
  const { sendTransactionStatusId } = await client.solSendTransaction({
    unsignedTransaction: transaction(
      { payer },
      ComputeBudgetProgram.setComputeUnitLimit({ units: 1000 }),
      transfer(payer, 10 ** 12),
    ),
    signWiths: [payer.toBase58()],
    caip2: 'solana:devnet',
  });
  await assert.rejects(polled(sendTransactionStatusId), /instruction 1: custom program error 0x1/);
  const { txStatus, error } = await client.getSendTransactionStatus({ sendTransactionStatusId });
  assert.equal(txStatus, 'FAILED');
  const { source, rpcCode, transactionErrorJson, logs, unitsConsumed } = error!.solana!;
  assert.deepEqual([source, rpcCode, unitsConsumed], ['preflight', -32002, '300']);
  assert.equal(transactionErrorJson, '{"InstructionError":[1,{"Custom":1}]}');
  assert.ok(logs!.some((line) => line.includes('insufficient lamports')));
});
