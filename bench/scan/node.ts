/**
 * A JSON-RPC node of made-up blocks, as `node bench/scan/node.ts BLOCKS`. Prints its port. A line on its standard input is a number of
 * blocks to mine. The answer comes when the scan asks for the block after them.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { addressOf, CHAIN_ID, OURS, TOKEN, TRANSACTIONS, WATCHED } from './chain.ts';

type Call = { id: number; method: string; params: [string & { blockHash: string }, ...unknown[]] };

const hex = (value: number) => `0x${value.toString(16)}`;
const word = (value: number | string, kind = '') => `0x${kind}${value.toString(16).padStart(64 - kind.length, '0')}`;
const blockHash = (number: number) => word(number, 'b');
const hashOf = (number: number, index: number) => word(number * TRANSACTIONS + index, 'a');
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const FIRST_AT = 1_700_000_000;

/** Some pay watched addresses, all others pay one another. Every second one pays tokens. */
function transferOf(number: number, index: number) {
  const strangers = WATCHED + (number * TRANSACTIONS + index) * 2;
  const isOurs = index < OURS;
  const to = addressOf(isOurs ? (number * OURS + index) % WATCHED : strangers + 1);
  return { from: addressOf(strangers), to, isToken: index % 2 === 1 };
}

function blockOf(number: number): string {
  const transactions = Array.from({ length: TRANSACTIONS }, (_, index) => {
    const { from, to, isToken } = transferOf(number, index);
    return {
      ...{ blockHash: blockHash(number), blockNumber: hex(number), transactionIndex: hex(index), hash: hashOf(number, index) },
      ...{ from, to: isToken ? TOKEN : to, value: hex(isToken ? 0 : 1_000_000 + index), nonce: hex(index), gas: '0x5208' },
      ...{ gasPrice: '0x3b9aca07', maxFeePerGas: '0x77359400', maxPriorityFeePerGas: '0x3b9aca00', accessList: [] },
      ...{ input: isToken ? `0xa9059cbb${word(to.slice(2)).slice(2)}${word(index).slice(2)}` : '0x', type: '0x2' },
      ...{ chainId: hex(CHAIN_ID), v: '0x0', yParity: '0x0', r: word(index, '1'), s: word(index, '2') },
    };
  });
  return JSON.stringify({
    ...{ number: hex(number), hash: blockHash(number), parentHash: blockHash(number - 1), timestamp: hex(FIRST_AT + number) },
    ...{ gasLimit: '0x1c9c380', gasUsed: '0x606e60', baseFeePerGas: '0x7', logsBloom: `0x${'0'.repeat(512)}`, transactions },
  });
}

function logOf(number: number, index: number) {
  const { from, to } = transferOf(number, index);
  return {
    ...{ address: TOKEN, topics: [TRANSFER, word(from.slice(2)), word(to.slice(2))], data: word(1 + index), removed: false },
    ...{ blockHash: blockHash(number), blockNumber: hex(number), transactionHash: hashOf(number, index), logIndex: hex(index) },
  };
}
const logsOf = (number: number) =>
  JSON.stringify(Array.from({ length: TRANSACTIONS / 2 }, (_, half) => logOf(number, half * 2 + 1)));

function receiptOf(transaction: string): string {
  const place = Number(BigInt(`0x${transaction.slice(3)}`));
  const [number, index] = [Math.floor(place / TRANSACTIONS), place % TRANSACTIONS];
  const { from, to, isToken } = transferOf(number, index);
  return JSON.stringify({
    ...{ transactionHash: transaction, blockHash: blockHash(number), blockNumber: hex(number), transactionIndex: hex(index) },
    ...{ status: '0x1', from, to: isToken ? TOKEN : to, contractAddress: null, gasUsed: '0x5208', cumulativeGasUsed: '0x5208' },
    ...{ effectiveGasPrice: '0x3b9aca07', logs: isToken ? [logOf(number, index)] : [], logsBloom: `0x${'0'.repeat(512)}` },
  });
}

let head = 1;
let told = true;
/** Made before they are asked for, so that this process leaves the processor to the service. */
const made = Array.from({ length: Number(process.argv[2]) + 2 }, (_, number) => ({
  block: blockOf(number),
  logs: logsOf(number),
}));

function blockAt(which: string): string {
  const number = which.startsWith('0x') ? Number(which) : head;
  if (number <= head) return made[number]!.block;
  if (!told) process.stdout.write('scanned\n');
  told = true;
  return 'null';
}

const METHODS: Readonly<Record<string, (params: Call['params']) => string>> = {
  eth_chainId: () => `"${hex(CHAIN_ID)}"`,
  eth_blockNumber: () => `"${hex(head)}"`,
  eth_getBlockByNumber: ([which]) => blockAt(which),
  eth_getLogs: ([{ blockHash: hash }]) => made[Number(BigInt(`0x${hash.slice(3)}`))]!.logs,
  eth_getTransactionReceipt: ([hash]) => receiptOf(hash),
};

function answerTo({ id, method, params }: Call): string {
  const answer = METHODS[method];
  const said = answer === undefined ? '"error":{"code":-32601,"message":"no such method"}' : `"result":${answer(params)}`;
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},${said}}`;
}

const server = createServer(async (asked, answer) => {
  const parts: Buffer[] = [];
  for await (const part of asked) parts.push(part as Buffer);
  const calls = JSON.parse(Buffer.concat(parts).toString()) as Call | Call[];
  answer.setHeader('content-type', 'application/json');
  answer.end(Array.isArray(calls) ? `[${calls.map(answerTo).join(',')}]` : answerTo(calls));
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));

const lines = createInterface({ input: process.stdin });
lines.on('line', (line) => {
  head += Number(line);
  told = false;
});
lines.on('close', () => process.exit());
