import { fact, type Given, member, type Parameters, type Read, textOf } from '../parts.ts';
import type { Fact, Warning } from '../types.ts';
import { amber, named, otherFacts, red, sentence } from './parts.ts';

const LEAVES = red('key-leaves', 'The key leaves the service: it can then sign without policies and without a record');

/** What leaves, and to which key. */
export function readExport({ kind, parameters, now }: Given): Read {
  const target = textOf(parameters, 'targetPublicKey');
  const facts = [
    ...otherFacts({ ...parameters }, now, ['targetPublicKey']),
    ...(target === ''
      ? []
      : [
          fact('sealed to', target, 'hex', { note: 'the holder of this key can read it: compare it with the one that you know' }),
        ]),
  ];
  return { title: sentence(kind), form: 'export', facts, warnings: [LEAVES] };
}

const WITHOUT = red('never-exported', 'Keys that were never exported are destroyed too: what they hold is lost for good');
const DESTROYED = red('destroyed', 'The keys are destroyed in the service. It cannot undo that');

/** Wallets, accounts, private keys and secrets that are destroyed. */
export function readDestruction({ kind, parameters, now }: Given): Read {
  const isForced = member(parameters, 'deleteWithoutExport') === true;
  const facts = [
    ...otherFacts({ ...parameters }, now, ['deleteWithoutExport']),
    fact('without an export', isForced ? 'allowed' : 'refused', 'text'),
  ];
  return { title: sentence(kind), form: 'other', facts, warnings: [DESTROYED, ...(isForced ? [WITHOUT] : [])] };
}

const TARGETS = [
  ['userId', 'user', 'The user submits nothing, and approves nothing'],
  ['walletId', 'wallet', 'No key of the wallet signs'],
  ['privateKeyId', 'private key', 'The key signs nothing'],
] as const;

/** What stops, or goes on. */
function targetOf(parameters: Parameters, now: Given['now']): { what: string; facts: Fact[]; effect: string } {
  for (const [name, what, effect] of TARGETS) {
    const id = textOf(parameters, name);
    if (id !== '') return { what: `a ${what}`, facts: [named(what, id, now)], effect };
  }
  const what = member(parameters, 'organization') === true ? 'all keys of the organization' : 'something that is not named';
  return { what, facts: [fact('what', what, 'text')], effect: 'No key of the organization signs' };
}

export function readFreeze({ kind, parameters, now }: Given): Read {
  const { what, facts, effect } = targetOf(parameters, now);
  const isEnd = kind.includes('UNFREEZE');
  const keeps = member(parameters, 'keepSends') === true;
  const sends = textOf(parameters, 'userId') !== '' || keeps ? 'go on' : 'are cancelled where they still can be';
  const shown = [
    ...facts,
    fact(isEnd ? 'what ends' : 'until it ends', effect, 'text'),
    ...(isEnd ? [] : [fact('sends that wait', sends, 'text')]),
    ...otherFacts({ ...parameters }, now, ['userId', 'walletId', 'privateKeyId', 'organization', 'keepSends']),
  ];
  const warnings: Warning[] = isEnd ? [amber('unfreezes', 'What was stopped goes on: know first why it was frozen')] : [];
  return { title: `${isEnd ? 'Unfreeze' : 'Freeze'} ${what}`, form: 'freeze', facts: shown, warnings };
}
