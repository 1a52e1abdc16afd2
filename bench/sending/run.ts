/** The rows of `--only=sending`, and their tables. */
import { type Accepted, measureAccepted, measureToNode, type ToNode } from './accepted.ts';
import { type Beside, measureBeside } from './beside.ts';
import type { Options } from './common.ts';
import { type Landed, measureLanded } from './landed.ts';

export type SendingFigures = { accepted: Accepted[]; toNode: ToNode[]; landed: Landed[]; beside: Beside[] };

const BLOCK_TIME_S = 1;

export async function measureSending(options: Options): Promise<SendingFigures> {
  return {
    accepted: await measureAccepted(options),
    toNode: await measureToNode(options),
    landed: [...(await measureLanded(options, undefined)), ...(await measureLanded(options, BLOCK_TIME_S))],
    beside: await measureBeside(options),
  };
}

function table(title: string, rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const line = (row: readonly string[]) =>
    row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join('  ');
  return `${title}\n\n${rows.map(line).join('\n')}`;
}

const shown = (value: number | undefined, digits = 0): string => value?.toFixed(digits) ?? '–';

const between = (values: readonly [number, number] | undefined, digits = 0): string =>
  values?.map((value) => value.toFixed(digits)).join('–') ?? '–';

export function sendingTables({ accepted, toNode, landed, beside }: SendingFigures): string {
  return [
    table('eth_send_transaction, until it is answered', [
      ['gas and fees', 'concurrency', 'a second', 'p50 ms', 'p99 ms'],
      ...accepted.map((of) => [of.fees, String(of.concurrency), shown(of.perSecond), shown(of.p50Ms, 2), shown(of.p99Ms, 2)]),
    ]),
    table('eth_send_transaction, until a node has it, one at a time', [
      ['gas and fees', 'p50 ms', 'p99 ms', 'p50 ms after the answer'],
      ...toNode.map((of) => [of.fees, shown(of.p50Ms, 2), shown(of.p99Ms, 2), shown(of.afterAnswerP50Ms, 2)]),
    ]),
    table('A burst from one account, until all are in blocks', [
      ['', 'blocks', 'accepted/s', 'in blocks/s', 'of one by one', 'of 16 at once', 'CPU µs', 'CPU µs of anvil', 'blocks made'],
      ...landed.map((of) => [
        of.what,
        of.blockTime === undefined ? 'at once' : `every ${of.blockTime} s`,
        shown(of.accepted),
        shown(of.landed),
        shown(of.ratios?.[0], 2),
        shown(of.ratios?.[1], 2),
        shown(of.serviceCpu),
        shown(of.nodeCpu),
        shown(of.blocks),
      ]),
    ]),
    table('sign_raw_payload of another organization, beside', [
      [
        '',
        'concurrency',
        'windows',
        'signatures/s',
        'half between',
        'of control',
        '95 % between',
        'p50 ms',
        'p99 ms',
        'mined/s',
        'CPU µs',
        'cores of anvil',
      ],
      ...beside.map((of) => [
        of.kind,
        String(of.concurrency),
        String(of.windows),
        shown(of.perSecond),
        between(of.quartiles),
        shown(of.ofControl, 2),
        between(of.interval, 2),
        shown(of.p50Ms, 2),
        shown(of.p99Ms, 2),
        shown(of.minedPerSecond),
        shown(of.serviceCpu),
        shown(of.nodeCores, 2),
      ]),
    ]),
  ].join('\n\n');
}
