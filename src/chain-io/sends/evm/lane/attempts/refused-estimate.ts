import { evmFailure, evmFailureOf, plainFailure, type SendError } from '../../../error.ts';
import type { EvmRow, OnChain, Rows } from '../parts.ts';

type Hex = `0x${string}`;

type Asked = Pick<OnChain, 'node'> & Pick<Rows, 'read'>;

/** The value comes from the user's account, even if a paymaster pays the gas. A call that lacks it reverts without a reason. */
async function withFunds({ node }: Pick<OnChain, 'node'>, { intent, fromAddress }: EvmRow, error: SendError): Promise<SendError> {
  const value = intent.calls.reduce((sum, call) => sum + BigInt(call.value), 0n);
  const has = value === 0n ? value : await node.balance(fromAddress as Hex).catch(() => value);
  if (has >= value) return error;
  return { ...error, ...plainFailure(`${error.message}: ${fromAddress} has ${has} wei, and is to send ${value}`) };
}

/** Why the network, or its node, refused it. */
async function refusal({ node, read }: Asked, send: EvmRow): Promise<SendError> {
  const { intent, organizationId, fromAddress } = send;
  const { message = 'the call would fail', data } = intent.refused ?? {};
  const [call] = intent.calls;
  if (intent.form === 'call' && call !== undefined) {
    const made = { from: fromAddress as Hex, to: call.to as Hex, data: call.data as Hex, value: BigInt(call.value) };
    const told = await evmFailureOf(node, read, organizationId, { call: made }, '');
    if (told.message !== '') return told;
  }
  if (data === undefined) return plainFailure(message);
  // The node does not say which of several calls failed: the account made them.
  const to = intent.calls.length > 1 ? fromAddress : call?.to;
  const called = intent.calls.map((one) => one.to.toLowerCase());
  return evmFailure(read, organizationId, { to, output: data, error: message, calls: [] }, called);
}

/** Why the send's estimate was refused. */
export const whyRefused = async (on: Asked, send: EvmRow): Promise<SendError> => withFunds(on, send, await refusal(on, send));
