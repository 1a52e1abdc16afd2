import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import type { Address, Hex } from 'viem';
import { CHAIN, dataOf, newAccount, sendingWorld } from '../../activities/sending/eth-support.ts';
import { type Client, resultOf } from '../../support/client.ts';
import { type Instance, sharedInstance } from '../../support/instance.ts';
import { startReceiver } from '../../support/receiver.ts';
import { rpc } from '../../support/rpc-liar.ts';
import { waitFor } from '../../support/wait.ts';

export const FINALITY = 5;
export const COIN = { caip19: `${CHAIN}/slip44:60`, symbol: 'ETH', name: 'Ether', decimals: 18 };

type Balance = {
  type: string;
  organizationId: string;
  parentOrganizationId: string;
  msg: {
    operation: 'deposit' | 'withdraw';
    caip2: string;
    txHash: Hex;
    address: string;
    idempotencyKey: string;
    asset: typeof COIN & { amount: string };
    block: { number: number; hash: Hex; timestamp: string };
  };
};

/** A chain with a token, and the file of TOKENS that names it. Each test mines its blocks. */
export async function scannedWorld() {
  const world = await sendingWorld();
  const address = await world.deploy('HeldToken', [10n ** 30n]);
  const folder = mkdtempSync(join(tmpdir(), 'countersign-scan-'));
  const token = { caip19: `${CHAIN}/erc20:${address.toLowerCase()}`, symbol: 'HELD', name: 'The HELD', decimals: 6 };
  const file = join(folder, 'tokens.json');
  writeFileSync(file, JSON.stringify([token]));
  await world.admin.setAutomine(false);
  const mine = (blocks = 1) => world.admin.mine({ blocks });

  /** Sends it from any account, without its key. It is mined with the next block. */
  async function give(from: Address | undefined, to: Address, { value = 0n, tokens = 0n }: { value?: bigint; tokens?: bigint }) {
    const sender = from ?? world.paymaster.address;
    const hex = (amount: bigint) => `0x${amount.toString(16)}`;
    const call = tokens > 0n ? { to: address, data: dataOf('HeldToken', 'transfer', [to, tokens]) } : { to, value: hex(value) };
    await rpc(world.anvil.url, 'anvil_impersonateAccount', [sender]);
    return rpc<Hex>(world.anvil.url, 'eth_sendTransaction', [{ from: sender, gas: '0x30d40', ...call }]);
  }

  return {
    ...world,
    token,
    tokenAddress: address,
    mine,
    give,
    env: { ...world.env, TOKENS: file, SEND_FINALITY_BLOCKS: String(FINALITY) },
    async stop() {
      await world.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export type ScannedWorld = Awaited<ReturnType<typeof scannedWorld>>;

/** Waits until every block up to the latest is scanned. */
export async function scanned({ node }: ScannedWorld, { engine }: Instance): Promise<number> {
  const latest = Number(await node.getBlockNumber({ cacheTime: 0 }));
  await waitFor('the scan of the latest block', async () => (await engine.store.read.scan.place(CHAIN))?.number === latest);
  return latest;
}

/** An instance that scans the chain. */
export async function scanningInstance(env: Record<string, string> = {}) {
  const world = await scannedWorld();
  after(() => world.stop());
  const receiver = await startReceiver();
  after(() => receiver.close());
  const instance = await sharedInstance({ ...world.env, SCAN: CHAIN, OUTBOUND_ALLOW: receiver.host, ...env });
  await waitFor('the scan begins', () => instance.engine.store.read.scan.place(CHAIN));

  /** Subscribes to both events, at a path of its own. */
  async function listen(client: Client, path: string) {
    const eventTypes = ['BALANCE_CONFIRMED_UPDATES', 'BALANCE_FINALIZED_UPDATES'];
    const subscriptions = eventTypes.map((eventType) => ({ eventType }));
    const parameters = { url: `http://${receiver.host}${path}`, name: 'Receiver', subscriptions };
    resultOf(await client.submit('CREATE_WEBHOOK_ENDPOINT', parameters), 'createWebhookEndpointResult');
  }
  const told = (path: string): Balance[] => receiver.taken(path).map(({ body }) => JSON.parse(body) as Balance);

  /** Waits until every event so far is delivered. */
  async function delivered(): Promise<void> {
    await scanned(world, instance);
    await waitFor('all deliveries', async () => {
      const [events] = await instance.raw('SELECT count(*) AS n FROM webhook_events WHERE fanned_out_at IS NULL');
      const [due] = await instance.raw("SELECT count(*) AS n FROM webhook_deliveries WHERE status = 'PENDING'");
      return Number(events!.n) + Number(due!.n) === 0;
    });
  }

  return {
    world,
    receiver,
    instance,
    listen,
    told,
    delivered,
    newAccount: (value = 0n, client = instance.root) => newAccount(world, client, value),
  };
}
