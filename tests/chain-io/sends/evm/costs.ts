import type { Hex } from 'viem';
import { microUsdOf } from '../../../../src/model/gas.ts';
import type { SendAttempt } from '../../../../src/model/send.ts';
import { CHAIN, type SendingWorld } from '../../../activities/sending/eth-support.ts';
import type { Instance } from '../../../support/instance.ts';
import { rpc } from '../../../support/rpc-liar.ts';

/** As `SPONSORING` says. */
export const PRICE = { usdE18: 3000n * 10n ** 18n, decimals: 18 };

type Receipt = { gasUsed: Hex; effectiveGasPrice: Hex } | null;

/** The cost of sends by the chain, by the stored counts, and by the metrics. */
export function costs(world: SendingWorld, { engine, root, url }: Instance) {
  const { read } = engine.store;
  const attemptsOf = (id: string, { organizationId } = root) => read.sendAttempts.ofSend(organizationId, id);
  return {
    attemptsOf,
    reserved: async (id: string, { organizationId } = root) => (await read.gas.reservation(organizationId, id))!.microUsd,
    /** The cost of its mined transactions in micro-USD, and their number. */
    async costOf(id: string, client = root, isCounted = (_: SendAttempt) => true): Promise<[number, number]> {
      const counted = (await attemptsOf(id, client)).filter(isCounted);
      const asked = counted.map(({ hash }) => rpc<Receipt>(world.anvil.url, 'eth_getTransactionReceipt', [hash]));
      const receipts = (await Promise.all(asked)).filter((receipt) => receipt !== null);
      const wei = receipts.reduce((sum, { gasUsed, effectiveGasPrice }) => sum + BigInt(gasUsed) * BigInt(effectiveGasPrice), 0n);
      return [microUsdOf(wei, PRICE), receipts.length];
    },
    /** Of the network, by the metric's other labels. */
    async metric(name: string, label: string): Promise<number> {
      const page = await (await fetch(`${url}/metrics`)).text();
      const line = page.split('\n').find((one) => one.startsWith(`${name}{network="${CHAIN}",${label}} `));
      return Number(line?.split(' ').at(-1));
    },
  };
}
