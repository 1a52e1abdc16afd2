import { chainIdOf, evmCoin, evmNetworkName } from '../amounts.ts';
import { grouped } from '../grouped.ts';
import { fact, type Given, listOf, member, type Parameters, type Read, textOf } from '../parts.ts';
import type { Fact, Warning } from '../types.ts';
import { visible } from '../visible.ts';
import { amber, durationText, ending, named, objectIn, otherFacts, red, sentence } from './parts.ts';

const PREFIX = /^VELOCITY_CONTROL_AGGREGATION_(?:METHOD|OPERATOR)_/;

/** The first two are limits. Of the others, policies read whether they are true. */
const OPERATORS: Readonly<Record<string, string>> = {
  LESS_THAN_OR_EQUAL: 'at most',
  LESS_THAN: 'less than',
  GREATER_THAN: 'more than',
  GREATER_THAN_OR_EQUAL: 'at least',
  EQUAL: 'exactly',
};

const isLimit = (operator: string): boolean => operator.startsWith('LESS_THAN');

type Asset = { fact: Fact; unit: string; warning?: Warning };

function assetOf(of: Parameters): Asset {
  const [caip19, decimals] = [textOf(of, 'caip19'), textOf(of, 'decimals')];
  const [chain = '', reference = ''] = caip19.split('/');
  const chainId = chainIdOf(chain);
  const coin = chainId === undefined || !reference.startsWith('slip44:') ? undefined : evmCoin(chainId);
  const network = chainId === undefined ? '' : `of ${evmNetworkName(chainId)}, `;
  const note = `${coin === undefined ? '' : `${coin.unit} `}${network}${visible(decimals)} decimals as the request says`;
  const isWrong = coin !== undefined && coin.decimals > 0 && decimals !== String(coin.decimals);
  return {
    fact: fact('asset', caip19, 'hex', { note }),
    unit: coin?.unit ?? 'whole units of the asset',
    ...(isWrong && {
      warning: red('wrong-decimals', `The coin has ${coin.decimals} decimals, so the limit is wrong by powers of ten`),
    }),
  };
}

const COUNTED: Readonly<Record<string, string>> = {
  organization: 'the whole organization',
  user: 'each user',
  wallet: 'each wallet',
};
const FURTHER: Readonly<Record<string, string>> = { signer: ', and each public key', recipient: ', and each recipient' };

function windowText(aggregation: Parameters, own: Parameters): string {
  const window = objectIn(own, 'window');
  if (member(window, 'transaction') !== undefined) return 'each activity alone';
  const calendar = objectIn(window, 'calendar');
  if (Object.keys(calendar).length > 0) return `each ${textOf(calendar, 'unit')} of ${textOf(calendar, 'zone')}`;
  const given = objectIn(aggregation, 'window');
  const duration = textOf(objectIn(given, 'rolling'), 'duration');
  return duration === '' ? 'all time: what is used does not come back' : `any ${durationText(duration)}`;
}

/** Members that are shown in words. */
const SHOWN = [
  ...['name', 'identifier', 'dataSource.chainAssetTransfer.definition', 'dataSource.activityExecution'],
  ...['dataSource.chainAssetTransfer.filter', 'dataSource.chainAssetTransfer.phase', 'aggregation'],
  ...['enforcement', 'unreadable', 'groupBy', 'window', 'scope', 'condition', 'fees', 'removalDelay'].map(
    (name) => `countersign.${name}`,
  ),
];

const SCOPES = [
  ['walletIds', 'only wallet'],
  ['privateKeyIds', 'only private key'],
  ['userIds', 'only user'],
  ['userTagIds', 'only users with the tag'],
] as const;

type Words = { facts: Fact[]; warnings: Warning[] };

/** What a control limits, in words. */
export function controlWords(control: Parameters, now: Given['now']): Words {
  const [source, aggregation, own] = [
    objectIn(control, 'dataSource'),
    objectIn(control, 'aggregation'),
    objectIn(control, 'countersign'),
  ];
  const transfers = objectIn(source, 'chainAssetTransfer');
  const ofAssets = member(source, 'chainAssetTransfer') !== undefined;
  const [method, operator] = [textOf(aggregation, 'method'), textOf(aggregation, 'operator')].map((text) =>
    text.replace(PREFIX, ''),
  );
  const assets = (listOf(transfers, 'definition') as Parameters[]).map(assetOf);
  const things = ofAssets ? 'transfers' : 'activities';
  const unit = method === 'COUNT' ? things : assets.length === 1 ? assets[0]!.unit : 'whole units, of all assets together';
  const bound = OPERATORS[operator!] ?? visible(operator!);
  const binds = textOf(own, 'enforcement') === 'ALWAYS';
  const [group = ''] = Object.keys(objectIn(aggregation, 'groupBy'));
  const filter = objectIn(ofAssets ? transfers : objectIn(source, 'activityExecution'), 'filter');
  const text = (name: string) => textOf(own, name);
  const facts = [
    fact('name', textOf(control, 'name'), 'text'),
    fact('policies read it as', `controls.${textOf(control, 'identifier')}`, 'text'),
    fact(isLimit(operator!) ? 'limit' : 'true for', `${bound} ${grouped(textOf(aggregation, 'threshold'))}`, 'amount', { unit }),
    fact('within', windowText(aggregation, own), 'text'),
    fact('counted for', `${COUNTED[group] ?? group}${FURTHER[text('groupBy')] ?? visible(text('groupBy'))}`, 'text'),
    ...assets.map((each) => each.fact),
    ...(listOf(filter, 'activity') as Parameters[]).map((each) => fact('only of', textOf(each, 'activityType'), 'text')),
    ...(member(objectIn(transfers, 'phase'), 'submission') === undefined
      ? []
      : [fact('raw transactions', 'that the service broadcasts count too', 'text')]),
    fact('holds for', binds ? 'every signer, the root quorum too' : 'policies that read it', 'text'),
    ...SCOPES.flatMap(([name, label]) => listOf(objectIn(own, 'scope'), name).map((id) => named(label, String(id), now))),
    ...(text('condition') === '' ? [] : [fact('counts only if', text('condition'), 'text')]),
    fact(
      'what cannot be read',
      text('unreadable') === 'COUNT_ONLY_READABLE' ? 'is allowed, and not counted' : 'is refused',
      'text',
    ),
    ...(member(own, 'fees') === true ? [fact('fees', 'count too', 'text')] : []),
    ...(text('removalDelay') === '' ? [] : [fact('its deletion waits', durationText(text('removalDelay')), 'text')]),
  ];
  const warnings = assets.flatMap(({ warning }) => warning ?? []);
  if (isLimit(operator!) && !binds) warnings.push(amber('only-policies', 'It limits nothing by itself: a policy must read it'));
  if (text('unreadable') === 'COUNT_ONLY_READABLE')
    warnings.push(amber('unreadable-passes', 'What cannot be read passes beside this limit'));
  return { facts, warnings };
}

const ENDS = red('limit-ends', 'The limit ends: what it stopped is then possible');
const GIVES_BACK = amber('gives-back', 'It gives back what was counted, so that much may leave again');

export function readVelocity({ kind, parameters, now }: Given): Read {
  if (kind === 'CREATE_VELOCITY_CONTROL') {
    const { facts, warnings } = controlWords(parameters, now);
    const title = `Create limit “${visible(textOf(parameters, 'name'))}”`;
    return { title, form: 'velocity', facts: [...facts, ...otherFacts({ ...parameters }, now, SHOWN)], warnings };
  }
  const own = otherFacts({ ...parameters }, now);
  if (kind === 'DELETE_VELOCITY_CONTROL') {
    const ends = now?.control === undefined ? [] : ending(controlWords(now.control, now).facts);
    return { title: 'End a limit over time', form: 'velocity', facts: [...own, ...ends], warnings: [ENDS] };
  }
  const warnings = kind.includes('RELEASE') ? [GIVES_BACK] : [];
  return { title: sentence(kind), form: 'velocity', facts: own, warnings };
}
