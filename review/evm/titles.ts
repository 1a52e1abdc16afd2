import { grouped } from '../grouped.ts';
import { shownName } from '../named.ts';
import type { Call, Form } from '../types.ts';

const SENDS = /^(?:transfer|transferWithMemo)\(/;

/** What a call does, in a few words, and the form that shows it. */
export function titleOf(calls: readonly Call[]): { title: string; form: Form } {
  const [call, ...more] = calls;
  if (call === undefined) return { title: 'Do nothing', form: 'contract-call' };
  if (more.length > 0) return { title: `Make ${calls.length} calls`, form: 'batch' };
  const argument = (name: string) => call.arguments.find((each) => each.name === name)?.value;
  const paid = call.value === undefined ? '' : `${call.value.amount} ${call.value.unit}`;
  const outer = paid === '' ? '' : `, with ${paid}`;
  if (call.to === '') return { title: `Create a contract${outer}`, form: 'contract-call' };
  const { function: text, named } = call;
  if (text === undefined && call.data === undefined)
    return { title: paid === '' ? 'Send nothing' : `Send ${paid}`, form: 'transfer' };
  if (text === undefined) return { title: `Call ${call.to}, not decoded${outer}`, form: 'contract-call' };
  if (named === undefined && SENDS.test(text) && argument('amount') !== undefined && paid === '')
    return { title: `Send ${grouped(argument('amount')!)} smallest units of the token ${call.to}`, form: 'transfer' };
  const [inner, ...others] = call.calls;
  const isUpgrade = text.startsWith('upgradeToAndCall(');
  if (inner !== undefined && others.length === 0 && !isUpgrade) {
    const does = inner.isDelegate ? `Run the code of ${inner.to}` : titleOf(call.calls).title;
    return { title: `${does}, by ${call.to}${outer}`, form: 'batch' };
  }
  if (others.length > 0) return { title: `Make ${call.calls.length} calls by ${call.to}${outer}`, form: 'batch' };
  const name = shownName(text.slice(0, text.indexOf('(')), call);
  return { title: `Call ${name} of ${call.to}${outer}`, form: 'contract-call' };
}
