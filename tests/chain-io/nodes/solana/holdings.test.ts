import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { PublicKey } from '@solana/web3.js';
import { refused } from '../../../support/refusals.ts';
import { DEVNET, newAccounts, setAccount, sharedSending } from '../../sends/solana/support.ts';

const CLUSTER = 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1';
const TOKEN = new PublicKey('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA');
const TOKEN_2022 = new PublicKey('TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb');
const mint = (seed: number) => new PublicKey(Buffer.alloc(32, seed));
const [OLD, NEW, UNKNOWN] = [mint(91), mint(92), mint(93)];
const folder = mkdtempSync(join(tmpdir(), 'countersign-tokens-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const file = join(folder, 'tokens.json');
const named = (token: PublicKey, symbol: string) => ({ caip19: `${DEVNET}/token:${token}`, symbol, name: symbol, decimals: 6 });
const numbered = (i: number) =>
  new PublicKey(
    Buffer.alloc(32)
      .fill(7, 2)
      .fill(i >> 8, 0, 1)
      .fill(i & 255, 1, 2),
  );
const OTHERS = Array.from({ length: 498 }, (_, i) => numbered(i));
writeFileSync(file, JSON.stringify([named(OLD, 'OLD'), named(NEW, 'NEW'), ...OTHERS.map((one, i) => named(one, `T${i}`))]));
const sending = await sharedSending({ TOKENS: file });
const { instance, node, liar } = sending;
const { root } = instance;

function tokenAccount(owner: PublicKey, token: PublicKey, amount: bigint, program = TOKEN): void {
  const data = Buffer.alloc(program === TOKEN ? 165 : 170);
  token.toBuffer().copy(data, 0);
  owner.toBuffer().copy(data, 32);
  data.writeBigUInt64LE(amount, 64);
  data[108] = 1;
  setAccount(node, PublicKey.unique(), program, data);
}

test('lamports and all token accounts of configured mints are counted, of both programs', async () => {
  const [owner, other] = (await newAccounts(sending, root, 2, 2_000_000n)) as [PublicKey, PublicKey];
  const ask = () => root.query('get_wallet_address_balances', { address: owner.toBase58(), caip2: DEVNET });
  const coin = { caip19: `${CLUSTER}/slip44:501`, symbol: 'SOL', balance: '2000000', decimals: 9, name: 'Solana' };
  assert.deepEqual((await ask()).body, { balances: [coin] });

  tokenAccount(owner, OLD, 2n ** 63n);
  tokenAccount(owner, OLD, 5n);
  tokenAccount(owner, NEW, 7n, TOKEN_2022);
  tokenAccount(owner, UNKNOWN, 9n);
  tokenAccount(other, NEW, 11n, TOKEN_2022);
  liar.sizes.splice(0);
  const token = (of: PublicKey, symbol: string, balance: bigint, program: PublicKey) => ({
    caip19: `${CLUSTER}/token:${of}`,
    symbol,
    balance: String(balance),
    decimals: 6,
    name: symbol,
    tokenProgram: program.toBase58(),
  });
  assert.deepEqual((await ask()).body, {
    balances: [coin, token(OLD, 'OLD', 2n ** 63n + 5n, TOKEN), token(NEW, 'NEW', 7n, TOKEN_2022)],
  });
  assert.deepEqual(liar.sizes, [3]);

  liar.lie(
    { kind: 'error', code: -32010, message: 'excluded from account secondary indexes' },
    { methods: ['getTokenAccountsByOwner'] },
  );
  refused(await ask(), [503, 'UNAVAILABLE', /gives all balances/]);
  liar.truth();
});

test('an address can hold all of the most tokens that can be configured', async () => {
  const [owner] = (await newAccounts(sending, root, 1)) as [PublicKey];
  for (const one of [OLD, NEW, ...OTHERS]) tokenAccount(owner, one, 1n, TOKEN_2022);
  const { body } = await root.query('get_wallet_address_balances', { address: owner.toBase58(), caip2: DEVNET });
  assert.equal(body.balances.length, 501);
});
