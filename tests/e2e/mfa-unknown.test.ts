import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { encodeFunctionData, type Hex, parseAbi, serializeTransaction } from 'viem';
import { CHAIN, dataOf, newAccount, sendingWorld } from '../activities/sending/eth-support.ts';
import { type Client, resultOf } from '../support/client.ts';
import { sharedInstance } from '../support/instance.ts';
import { done, method, newMfa, newPlace, open, type Person, steps, TAG, tag } from './mfa-support.ts';

/** What a condition of MFA cannot read is not a way round it: whatever is not definitely false asks. */
const world = await sendingWorld();
after(() => world.stop());
const instance = await sharedInstance(world.env);
const token = await world.deploy('Token');

const FRIEND = '0x00000000000000000000000000000000000000aa';
const THIEF = '0x00000000000000000000000000000000000000bb';
const PASSKEY = steps([method('PASSKEY')]);
const ANYTHING = steps([method('PASSKEY'), method('API_KEY'), method('SESSION')]);
const abi = parseAbi([
  'function approve(address spender, uint256 amount)',
  'function pay((address to, uint256 amount)[] payments)',
  'function burn(uint256 amount)',
]);

const people = (await newPlace(instance, 14)).people;
const client = people[0]!.byKey;
const account = (await newAccount(world, client)).toLowerCase() as Hex;
const store = async (address: string, named: object) =>
  resultOf(
    await client.submit('CREATE_SMART_CONTRACT_INTERFACE', {
      label: address,
      smartContractAddress: address,
      smartContractInterface: JSON.stringify(named),
      type: 'SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM',
      notes: '',
    }),
    'createSmartContractInterfaceResult',
  );
await store(token, abi);

function nextPerson(): Person {
  const person = people.pop();
  assert.ok(person, 'more people are needed');
  return person;
}

async function personWith(...policies: [condition: string, required: object[]][]): Promise<Person> {
  const person = nextPerson();
  // The one that asks for least is made first: it must not decide about those after it.
  for (const [order, [condition, required]] of policies.entries())
    await newMfa(person.byPasskey, person, required, { condition, order });
  return person;
}

const unsigned = (data: Hex, to: string = token): object => ({
  signWith: account,
  type: 'TRANSACTION_TYPE_ETHEREUM',
  unsignedTransaction: serializeTransaction({ type: 'eip1559', chainId: 1, to: to as Hex, data, gas: 90000n }).slice(2),
});
const sign = (by: Client, data: Hex, to?: string) => by.submit('SIGN_TRANSACTION_V2', unsigned(data, to));
const send = (by: Client, ...calls: object[]) =>
  by.submit('ETH_SEND_TRANSACTION_V2', { from: account, caip2: CHAIN, calls, gasLimit: '300000' });

const approve = (to: Hex, amount = 5n) => encodeFunctionData({ abi, functionName: 'approve', args: [to, amount] });
const pay = (to: Hex) => encodeFunctionData({ abi, functionName: 'pay', args: [[{ to, amount: 5n }]] });
/** One bit of the upper bytes of the word at this place is set: contracts of old compilers mask it. */
const dirty = (data: Hex, word: number): Hex => `0x${data.slice(2, 10 + word * 64)}ff${data.slice(12 + word * 64)}`;

const SPENDER = `eth.tx.contract_call_args['spender']`;
const UNREADABLE: [name: string, data: Hex][] = [
  ['one dirty byte in the word of an address', dirty(approve(THIEF), 0)],
  ['too short by a byte', approve(THIEF).slice(0, -2) as Hex],
  ['the selector alone', approve(THIEF).slice(0, 10) as Hex],
  ['no interface has its selector', `0xdeadbeef${approve(THIEF).slice(10)}`],
  ['a function without this argument', encodeFunctionData({ abi, functionName: 'burn', args: [1n] })],
  ['shorter than a selector', '0xa9059c'],
  ['nested, with a dirty byte inside', dirty(pay(THIEF), 3)],
  ['nested, with an offset out of bounds', `${pay(THIEF).slice(0, 10)}${'f'.repeat(64)}` as Hex],
];

test('call data that does not decode asks for what data that decodes asks for', async () => {
  const conditions = [
    `${SPENDER} != '${FRIEND}'`,
    `eth.tx.to == '${token.toLowerCase()}' && !(${SPENDER} in ['${FRIEND}'])`,
    `eth.tx.value > 1000 || ${SPENDER} == '${THIEF}' || eth.tx.contract_call_args['payments'].any(p, p[0] == '${THIEF}')`,
  ];
  for (const condition of conditions) {
    const { byKey } = await personWith([condition, PASSKEY]);
    open(await sign(byKey, approve(THIEF)));
    for (const [name, data] of UNREADABLE) {
      for (const answer of [await sign(byKey, data), await send(byKey, { to: token, data })])
        assert.equal(
          answer.body.activity?.status,
          'ACTIVITY_STATUS_AUTHENTICATORS_NEEDED',
          `${name}: ${condition}: ${answer.text}`,
        );
    }
    done(await byKey.submit(TAG, tag()));
  }
  const { byKey } = await personWith([conditions[1]!, PASSKEY]);
  done(await sign(byKey, approve(FRIEND)));
  done(await sign(byKey, `${approve(FRIEND)}00ff`));
  open(await sign(byKey, `${approve(THIEF)}00ff`));
  done(await sign(byKey, UNREADABLE[0]![1], FRIEND));
});

test('an interface that is not there, or names its arguments otherwise, hides nothing', async () => {
  const ambiguous = '0x00000000000000000000000000000000000000cc';
  await store(ambiguous, [...abi, ...parseAbi(['function approve(address who, uint256 wad)'])]);
  const { byKey } = await personWith([`${SPENDER} == '${THIEF}'`, PASSKEY]);
  open(await sign(byKey, approve(THIEF), ambiguous));
  open(await sign(byKey, approve(THIEF), '0x00000000000000000000000000000000000000dd'));
});

test('an exception that cannot be read makes no exception: the rule after it is asked too', async () => {
  const { byKey, byPasskey } = await personWith([`${SPENDER} == '${FRIEND}'`, ANYTHING], ["activity.action == 'SIGN'", PASSKEY]);
  done(await sign(byKey, approve(FRIEND)));
  open(await sign(byKey, approve(THIEF)));
  const asked = open(await sign(byKey, dirty(approve(THIEF), 0)));
  const { mfaStatuses } = (await byKey.query('get_mfa_status', { activityId: asked.id })).body;
  assert.deepEqual(
    mfaStatuses.map(({ satisfied }: { satisfied: boolean }) => satisfied),
    [true, false],
  );
  done(await byPasskey.submit('APPROVE_ACTIVITY', { fingerprint: asked.fingerprint }));
});

test('a harmless element of a batch makes no exception for the others', async () => {
  const { byKey, byPasskey } = await personWith(
    [`eth.tx.to == '${FRIEND}' || eth.eip_712.message['to'] == 'friend'`, ANYTHING],
    ["activity.action == 'SIGN' || activity.kind == 'ETH_SEND_TRANSACTION'", PASSKEY],
  );
  const harmless = { to: FRIEND, value: '1' };
  const hostile = { to: token, data: dataOf('Token', 'approve', [THIEF, 5n]) };
  done(await send(byKey, harmless));
  done(await send(byKey, harmless, harmless));
  open(await send(byKey, harmless, hostile));
  done(await send(byPasskey as Client, harmless, hostile));

  const typed = (to: string) =>
    JSON.stringify({
      types: { EIP712Domain: [{ name: 'name', type: 'string' }], Pay: [{ name: 'to', type: 'string' }] },
      primaryType: 'Pay',
      domain: { name: 'd' },
      message: { to },
    });
  const signAll = (...payloads: string[]) =>
    byKey.submit('SIGN_RAW_PAYLOADS', {
      signWith: account,
      payloads,
      encoding: 'PAYLOAD_ENCODING_EIP712',
      hashFunction: 'HASH_FUNCTION_NO_OP',
    });
  done(await signAll(typed('friend'), typed('friend')));
  open(await signAll(typed('friend'), typed('thief')));
  open(await signAll(typed('thief'), typed('friend')));
});

test('each element of a batch asks for what its own rule says, and all of them together are asked', async () => {
  const [byKey, other] = [nextPerson(), FRIEND];
  await newMfa(byKey.byPasskey, byKey, steps([method('EMAIL_OTP')]), {
    condition: `eth.tx.to == '${token.toLowerCase()}'`,
    order: 0,
  });
  await newMfa(byKey.byPasskey, byKey, PASSKEY, { condition: `eth.tx.to == '${other}'`, order: 1 });
  const asked = open(await send(byKey.byKey, { to: other, value: '1' }, { to: token, data: approve(FRIEND) }));
  const approval = { fingerprint: asked.fingerprint };
  open(await byKey.byPasskey.submit('APPROVE_ACTIVITY', approval));
  done(await byKey.byEmail().submit('APPROVE_ACTIVITY', approval));
});

test('a limit on the value of all calls holds for a batch, whose calls are each below it', async () => {
  const limit = 10n ** 15n;
  const { byKey } = await personWith([`eth.txs.total_value > ${limit}`, PASSKEY]);
  const payment = { to: FRIEND, value: String((limit * 9n) / 10n) };
  done(await send(byKey, payment));
  open(await send(byKey, payment, payment));
  const sent = resultOf(await send(client, payment, payment), 'ethSendTransactionResultV2');
  const fees = { maxFeePerGas: '90000000000', maxPriorityFeePerGas: '9000000000' };
  const again = { sendTransactionStatusId: sent.sendTransactionStatusId, reason: 'slow', ...fees };
  open(await byKey.submit('COUNTERSIGN_SPEED_UP_SEND', again));
  const data = approve(THIEF);
  done(await sign(byKey, data));
  const hash = { signWith: account, encoding: 'PAYLOAD_ENCODING_HEXADECIMAL', hashFunction: 'HASH_FUNCTION_NO_OP' };
  done(await byKey.submit('SIGN_RAW_PAYLOAD_V2', { ...hash, payload: 'ab'.repeat(32) }));
});

test('a condition about a member that an activity does not have asks for nothing', async () => {
  const { byKey } = await personWith(
    ['eth.tx.value > 5', PASSKEY],
    ["!(eth.tx.value > 5) || [eth.tx.to].filter(to, to != 'x').count() > 0", PASSKEY],
    ["activity.params.sign_with == 'me'", PASSKEY],
  );
  done(await byKey.submit(TAG, tag()));
  done(await byKey.submit('CREATE_WALLET', { walletName: 'Plain', accounts: [] }));
});
