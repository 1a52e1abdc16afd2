import { after, test } from 'node:test';
import { CHAIN } from '../../activities/sending/eth-support.ts';
import { sharedInstance } from '../../support/instance.ts';
import { waitFor } from '../../support/wait.ts';
import { scanned, scannedWorld } from './support.ts';

const world = await scannedWorld();
after(() => world.stop());
const endpoints = `${world.liar.url},${world.anvil.url}`;
const instance = await sharedInstance({ ...world.env, RPC_URL_EIP155_31337: endpoints, SCAN: CHAIN });
const place = () => instance.engine.store.read.scan.place(CHAIN);
await waitFor('the scan begins', place);

test('an endpoint that lacks a block below the latest one does not stop the scan: the other one is asked', async () => {
  const next = (await place())!.number + 1;
  world.liar.lie({ kind: 'result', result: null }, { methods: ['eth_getBlockByNumber'], first: `0x${next.toString(16)}` });
  await world.mine(8);
  await scanned(world, instance);
});
