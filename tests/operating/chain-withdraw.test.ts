/** `./countersign chain withdraw`: beside a service on PostgreSQL, and while it is stopped on SQLite. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatEther, parseEther } from 'viem';
import { withdrawCommand } from '../../src/cli/withdraw.ts';
import { readConfig } from '../../src/config.ts';
import { amountFor } from '../../src/operator/withdraw/quote.ts';
import { planWithdrawal } from '../../src/operator/withdraw/withdraw.ts';
import { CHAIN, idOf, landed } from '../activities/sending/eth-support.ts';
import { ethereumAccount, resultOf } from '../support/client.ts';
import { engineName, rawSql } from '../support/database.ts';
import { waitFor } from '../support/wait.ts';
import {
  asUsual,
  begin,
  crash,
  database,
  dataDir,
  env,
  evm,
  from,
  has,
  inProcess,
  lamports,
  nonce,
  run,
  SOLANA,
  SOLANA_TO,
  service,
  sol,
  solana,
  TO,
  without,
  world,
} from './withdrawing.ts';

async function sponsored(): Promise<string> {
  const root = service.root();
  const made = await root.submit('CREATE_WALLET', { walletName: `W ${Math.random()}`, accounts: [ethereumAccount()] });
  const [sender] = resultOf(made, 'createWalletResult').addresses;
  const calls = [{ to: '0x00000000000000000000000000000000000000aa', value: '0' }];
  return idOf(
    await root.submit('ETH_SEND_TRANSACTION_V2', { from: sender, caip2: CHAIN, sponsor: true, gasLimit: '300000', calls }),
  );
}

/** The nodes have this number of pending transactions of the paymaster. */
const areOut = (count: number) =>
  waitFor('they are out', async () => {
    const pending = await world.node.getTransactionCount({ address: from.eip155, blockTag: 'pending' });
    return pending - (await nonce()) === count;
  });

test('mistakes are told before anything is signed', async () => {
  const config = readConfig(env);
  const plan = (network: string, to: string, amount?: string) => planWithdrawal(config, { network, to, amount });
  const wrong: [Parameters<typeof plan>, RegExp][] = [
    [['eip155:9', TO, '1'], /eip155:9 has no RPC endpoint here/],
    [[CHAIN, TO.replace('5aAe', '5aae'), '1'], /wrong checksum \(EIP-55\)/],
    [[CHAIN, `${TO}0`, '1'], /must be an address, 0x and 40 hex digits/],
    [[CHAIN, `0x${'0'.repeat(40)}`, '1'], /must not be the zero address/],
    [[CHAIN, from.eip155, '1'], /must not be the paymaster itself/],
    [[CHAIN, world.station, '1'], /does not accept coins/],
    [[CHAIN, TO, '0.00'], /--amount must be a number of coins above 0/],
    [[CHAIN, TO, '1e3'], /--amount must be a number of coins/],
    [[CHAIN, TO, '11'], /has 10 coins, and keeps up to 0\.\d+ for the fee: 9\.9\d+ can be withdrawn now$/],
    [[SOLANA, '0OIl', '1'], /must be a Solana address, 32 bytes in base58/],
    [[SOLANA, '1'.repeat(32), '1'], /must not be the address of the System program/],
    [[SOLANA, from.solana, '1'], /must not be the paymaster itself/],
    [[SOLANA, 'ComputeBudget111111111111111111111111111111', '1'], /is a program|fail in a simulation/],
    [[SOLANA, SOLANA_TO, '0.0000000001'], /at most 9 decimals/],
    [[SOLANA, SOLANA_TO, '1.9999'], /that Solana requires of an account: 1\.99\d+ can be withdrawn now/],
    [[SOLANA, SOLANA_TO, '0.0001'], /fail in a simulation: .*A new account must get 0\.00\d+ at least/],
  ];
  for (const [args, message] of wrong) await assert.rejects(plan(...args), message, String(message));
  const lower = await plan(CHAIN, TO.toLowerCase(), '1');
  assert.ok('from' in lower && lower.warnings.length === 0);
  const offCurve = await plan(SOLANA, '4uQeVj5tqViQh7yWWGStvkEG1Zmhx6uasJtWCJziofM', '1');
  assert.ok('from' in offCurve && /an account of a program, such as a token account, not of a key/.test(offCurve.warnings[0]!));
});

test('wrong usage, and no terminal to confirm at', async () => {
  const options = { all: false, yes: false, 'dry-run': false, json: false };
  for (const [given, message] of [
    [{ to: TO, all: true }, /name the network/],
    [{ network: CHAIN, all: true }, /--to ADDRESS/],
    [{ network: CHAIN, to: TO }, /either --amount COINS or --all/],
    [{ network: CHAIN, to: TO, amount: '1', all: true }, /either --amount COINS or --all/],
  ] as const)
    await assert.rejects(withdrawCommand({ ...options, ...given }), message);
  const { code, out, err } = await run('--network', CHAIN, '--to', TO, '--all');
  assert.deepEqual([code, out], [2, '']);
  assert.match(err, /there is no terminal to confirm on: check it with --dry-run, then give --yes/);
});

test('a dry run says all of it, with sends that are under way, and sends nothing', async () => {
  await world.admin.setAutomine(false);
  const id = await sponsored();
  await areOut(1);
  const plan = await planWithdrawal(readConfig(env), { network: CHAIN, to: TO, amount: undefined });
  assert.ok('from' in plan);
  const { amount, feeAtMost, leftAtLeast, keptForThem, ...rest } = plan;
  assert.deepEqual(rest, {
    network: CHAIN,
    from: from.eip155,
    to: TO.toLowerCase(),
    balance: '10',
    underWay: 1,
    warnings: [],
  });
  assert.ok(Number(keptForThem) > 0 && leftAtLeast === keptForThem);
  assert.equal(parseEther(amount) + parseEther(feeAtMost) + parseEther(leftAtLeast), parseEther('10'));
  const text = await run(...evm('--amount', '0.5', '--dry-run'));
  assert.match(
    text.out,
    /^eip155:31337\n {2}from {7}0x[0-9a-f]{40}, the paymaster, which has 10 coins\n {2}to .*\n {2}amount {5}0\.5 coins\n/,
  );
  assert.match(text.out, /\n {2}under way {2}1 sends, which may still need up to 0\.\d+ coins\nNothing was sent\.\n$/);
  await world.admin.setAutomine(true);
  await world.admin.mine({ blocks: 1 });
  assert.equal((await landed(service.root(), id)).txStatus, 'INCLUDED');
  assert.equal(await has(TO), 0n);
});

test(`an amount is withdrawn, and once more, on ${engineName}`, async () => {
  if (engineName === 'sqlite') {
    const { code, err } = await run(...evm('--amount', '0.5'));
    assert.equal(code, 1);
    assert.match(err, /^the withdrawal is not done: another process already uses this data folder/);
  }
  await asUsual(async () => {
    const { code, out, err } = await run(...evm('--amount', '0.5', '--json'));
    assert.equal(code, 0, err);
    for (const total of ['0.5', '1']) {
      const done = total === '0.5' ? JSON.parse(out) : await inProcess(CHAIN, '0.5');
      assert.deepEqual([done.amount, done.to, done.error, done.isResumed], ['0.5', TO.toLowerCase(), null, false]);
      const hash = done.transaction;
      const { status, blockNumber, gasUsed, effectiveGasPrice } = await world.node.getTransactionReceipt({ hash });
      assert.deepEqual([status, String(blockNumber)], ['success', done.block]);
      assert.equal(formatEther(gasUsed * effectiveGasPrice), done.fee);
      assert.equal(formatEther(await has(TO)), total);
    }
  });
  // The service counts on with its nonces.
  assert.equal((await landed(service.root(), await sponsored())).txStatus, 'INCLUDED');
  const rows = await rawSql(
    { folder: dataDir, url: database?.url },
    "SELECT value FROM instance WHERE key LIKE 'withdrawn %'",
    [],
  );
  assert.equal(rows.length, 2);
  assert.match(String(rows[0]!.value), /"by":"\S+ on \S+"/);
});

test(`a withdrawal that a crash or Ctrl-C left is found by the next run, and sent once, on ${engineName}`, async () => {
  const [before, had] = [await nonce(), await has(TO)];
  await world.admin.setAutomine(false);
  await asUsual(async () => {
    const killed = await begin(evm('--amount', '1'), crash).ended;
    assert.equal(killed.code, null);
    const [, hash] = /signed and stored: 1 coins to 0x\w+, (0x\w+)/.exec(killed.err)!;
    const dry = await run(...evm('--amount', '1', '--dry-run'));
    assert.match(dry.out, new RegExp(`Another withdrawal is pending: 1 coins to .*${hash}, which .* began at`));
    const stopped = begin(evm('--amount', '1'));
    await waitFor('it waits', () => stopped.err().includes('waiting until'));
    stopped.child.kill('SIGINT');
    const { code, err } = await stopped.ended;
    assert.equal(code, 1);
    assert.match(err, /stopped before 0x\w+ was mined\. It is stored: run the same command again/);
    await world.admin.setAutomine(true);
    await world.admin.mine({ blocks: 1 });
    const came = new RegExp(`an earlier withdrawal was finished first: 1 coins to .*${hash}\\. Run the command again`);
    await assert.rejects(inProcess(CHAIN, '2'), came);
  });
  assert.deepEqual([await nonce(), await has(TO)], [before + 1, had + parseEther('1')]);
});

test(`beside sponsored pending sends: all land, and what they need stays, on ${engineName}`, async () => {
  await world.admin.setAutomine(false);
  const had = await has(TO);
  const ids = [await sponsored(), await sponsored(), await sponsored()];
  await areOut(3);
  await asUsual(async () => {
    // Sends that it does not see, because they come later, may need what is left.
    const withdrawing = begin(evm('--json', ...(engineName === 'sqlite' ? ['--all'] : ['--amount', '1'])));
    if (engineName === 'postgres') ids.push(await sponsored(), await sponsored());
    await waitFor('it is out', () => withdrawing.err().includes('waiting until') || withdrawing.child.exitCode !== null);
    await world.admin.setAutomine(true);
    await world.admin.mine({ blocks: 1 });
    const { code, out, err } = await withdrawing.ended;
    assert.equal(code, 0, err);
    assert.equal(await has(TO), had + parseEther(JSON.parse(out).amount));
  });
  await world.admin.setBalance({ address: from.eip155, value: parseEther('1') });
  ids.push(await sponsored());
  for (const id of ids) assert.equal((await landed(service.root(), id)).txStatus, 'INCLUDED');
});

test('all is no more than was agreed to, but for what an account cannot keep', () => {
  const known = { kind: 'solana', from: 'A', fee: 5n, balance: 1_000n, underWay: { count: 0, units: 0n } } as const;
  const amount = (atMost: bigint | undefined, dust = 0n) => amountFor({ to: 'B', amount: undefined, atMost }, known, { dust });
  assert.deepEqual(
    [undefined, 2_000n, 995n, 900n].map((atMost) => amount(atMost)),
    [995n, 995n, 995n, 900n],
  );
  assert.deepEqual(
    [900n, 896n, 895n].map((atMost) => amount(atMost, 100n)),
    [995n, 995n, 895n],
  );
});

test(`on Solana: an amount, what expired after a crash, and all to the last lamport, on ${engineName}`, async () => {
  await asUsual(async () => {
    assert.equal((await inProcess(SOLANA, '0.5')).amount, '0.5');
    assert.equal(lamports(SOLANA_TO), 500_000_000n);
    await assert.rejects(
      inProcess(SOLANA, '0.5', undefined, false),
      /pending withdrawal has ended: run the command again for another one/,
    );
    // All, where less was shown and agreed to.
    assert.equal((await inProcess(SOLANA, undefined, '0.25')).amount, '0.25');
    assert.equal(lamports(SOLANA_TO), 750_000_000n);
    Object.assign(process.env, env);
    const options = { network: SOLANA, to: SOLANA_TO, all: true, yes: false, 'dry-run': false, json: false };
    let shown = '';
    const { text, code } = await withdrawCommand(options, async (plan) => {
      shown = /\n {2}amount .*\n/.exec(plan)![0];
      solana.airdrop(from.solana, 1_000_000_000n);
      return true;
    });
    assert.equal(code, 0);
    assert.match(shown, /1\.24\d+ coins/);
    assert.ok(text.includes(shown), `${shown} was agreed to, and not: ${text}`);
  });
  await without(async () => {
    const killed = await begin(sol('--all'), crash).ended;
    assert.equal(killed.code, null);
    solana.advance(500);
    await assert.rejects(
      inProcess(SOLANA),
      /it expired: it was not mined, .*It was not sent, and never will be\. Run the command again/,
    );
  });
  await asUsual(async () => {
    const { code, out, err } = await run(...sol('--all'));
    assert.equal(code, 0, err);
    assert.match(out, /\n {2}amount {5}0\.99\d+ coins\n/);
  });
  assert.equal(lamports(from.solana), 0n);
});
