import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { encodeFunctionData, type Hex, type PrivateKeyAccount } from 'viem';
import {
  abiOf,
  ERRORS,
  LATER,
  type Message,
  newAccount,
  onDelegate,
  onStation,
  pack,
  signMessage,
  startWorld,
  type World,
} from './support.ts';

let world: World;
let account: PrivateKeyAccount;
let spender: Hex;
let tokens: Record<string, Hex>;

before(async () => {
  world = await startWorld();
  account = await world.delegated();
  spender = await world.deploy('Spender');
  tokens = {};
  for (const name of ['Token', 'CautiousToken', 'FalseToken', 'ShortToken', 'RefusingToken', 'ZeroToken']) {
    tokens[name] = await world.deploy(name);
  }
});
after(() => world.stop());

type Asked = { erc20: Hex; amount?: bigint; nonce?: bigint; to?: Hex; value?: bigint; data?: Hex };

async function signed(asked: Asked) {
  const { erc20, amount = 5n, nonce = 0n, to = spender, value = 0n } = asked;
  const spend = encodeFunctionData({ abi: abiOf('Spender'), functionName: 'spend', args: [erc20, account.address] });
  const { data = spend } = asked;
  const message: Message = {
    primaryType: 'ApproveThenExecute',
    message: { nonce, deadline: LATER, erc20Contract: erc20, spender, approveAmount: amount, to, value, data },
  };
  const packed = pack(await signMessage(account, message), { nonce, deadline: LATER }, data);
  return [to, value, erc20, spender, amount, packed] as const;
}

const throughStation = async (asked: Asked) => ({
  to: world.station,
  data: onStation('approveThenExecute', [account.address, ...(await signed(asked))]),
});
const reason = async (asked: Asked) => world.reasonOf(await throughStation(asked));
const allowance = (token: Hex) => world.view('Token', token, 'allowance', [account.address, spender]) as Promise<bigint>;

test('a token is approved before the call, and stays approved after it', async () => {
  const erc20 = tokens.Token!;
  await world.must(await throughStation({ erc20, value: 2n }));
  assert.equal(await world.view('Spender', spender, 'seen'), 5n);
  assert.equal(await allowance(erc20), 5n);
  assert.equal(await world.node.getBalance({ address: spender }), 2n);
  assert.equal(await world.nonceOf(account.address), 1n);
  await world.must({
    to: account.address,
    data: onDelegate('approveThenExecute', await signed({ erc20, amount: 6n, nonce: 1n })),
  });
  assert.equal(await world.view('Spender', spender, 'seen'), 6n);
});

test('a token that answers nothing and changes an allowance only by way of zero is approved too', async () => {
  const erc20 = tokens.CautiousToken!;
  await world.must(await throughStation({ erc20, amount: 1n, nonce: 2n }));
  await world.must(await throughStation({ erc20, amount: 9n, nonce: 3n }));
  assert.equal(await world.view('Spender', spender, 'seen'), 9n);
  assert.equal(await allowance(erc20), 9n);
});

test('an approval that fails ends everything, with an error that says how', async () => {
  const nonce = await world.nonceOf(account.address);
  const of = (name: string) => ({ erc20: tokens[name]!, nonce });
  assert.equal(await reason(of('FalseToken')), ERRORS.ApprovalReturnFalse);
  assert.equal(await reason(of('ShortToken')), ERRORS.ApprovalReturnFalse);
  assert.equal(await reason(of('RefusingToken')), ERRORS.ApprovalTo0Failed);
  assert.equal(await reason(of('ZeroToken')), ERRORS.ApprovalFailed);
  assert.equal(await reason({ erc20: newAccount().address, nonce }), ERRORS.ApprovalFailed);
  assert.equal(await reason({ erc20: account.address, nonce }), ERRORS.ApprovalTo0Failed);
  assert.equal(await reason({ ...of('ZeroToken'), amount: 0n, data: '0x', to: newAccount().address }), undefined);
});

test('a call that fails takes its approval back', async () => {
  const nonce = await world.nonceOf(account.address);
  const erc20 = tokens.Token!;
  const before = await allowance(erc20);
  const failing = await throughStation({ erc20, amount: 77n, nonce, data: '0xffffffff' });
  assert.equal((await world.send(failing)).status, 'reverted');
  assert.equal(await world.reasonOf(failing), ERRORS.ExecutionFailed);
  assert.equal(await allowance(erc20), before);
  assert.equal(await world.nonceOf(account.address), nonce);
});

test('no part of what was signed can be changed', async () => {
  const nonce = await world.nonceOf(account.address);
  const good = await signed({ erc20: tokens.Token!, nonce });
  const given = (changes: Partial<Record<number, unknown>>) =>
    onStation('approveThenExecute', [account.address, ...good.map((value, i) => changes[i] ?? value)]);
  assert.equal(await world.reasonOf({ to: world.station, data: given({}) }), undefined);
  for (const changes of [
    { 0: account.address },
    { 1: 1n },
    { 2: tokens.CautiousToken },
    { 3: account.address },
    { 4: 6n },
    { 5: `${good[5]}00` },
    { 2: spender, 3: tokens.Token },
  ]) {
    assert.equal(
      await world.reasonOf({ to: world.station, data: given(changes) }),
      ERRORS.NotSelf,
      JSON.stringify(Object.keys(changes)),
    );
  }
});
