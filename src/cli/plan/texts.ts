import { createHash } from 'node:crypto';
import { placeholder, withLearnt } from './names.ts';
import type { Texts } from './state.ts';
import type { Step } from './step.ts';

const PARTS = ['condition', 'consensus', 'time'] as const;
const LONGEST = 16_384;

export const textsOf = ({ effect, condition, consensus, time }: Texts): Texts => ({ effect, condition, consensus, time });

/** What may read tags. */
export const textOf = ({ condition, consensus }: Texts): string => `${condition} ${consensus}`;

export const isSame = (a: Texts, b: Texts): boolean => a.effect === b.effect && PARTS.every((part) => a[part] === b[part]);

const withoutEnd = (text: string): string => text.replace(/[\s;]+$/, '').trim();

/** The text is one pair of parentheses. Quotes of the language have no escapes. */
function isEnclosed(text: string): boolean {
  let depth = 0;
  const plain = text.replace(/'[^']*'|"[^"]*"/g, '');
  for (const [i, letter] of [...plain].entries()) {
    if (letter === '(') depth += 1;
    if (letter === ')') depth -= 1;
    if (depth === 0 && i < plain.length - 1) return false;
  }
  return plain.startsWith('(') && depth === 0;
}

function both(before: string, after: string): string {
  if (before === after || after === '') return before;
  if (before === '') return after;
  const end = ` && (${withoutEnd(after)})`;
  // An earlier run narrowed it.
  if (before.endsWith(end) && isEnclosed(before.slice(0, -end.length))) return before;
  return `(${withoutEnd(before)})${end}`;
}

/** An ALLOW that allows only what both do. A part that would be too long becomes `false`. */
export function narrowed(before: Texts, after: Texts): Texts {
  const texts = { ...before };
  for (const part of PARTS) {
    const text = both(before[part], after[part]);
    texts[part] = text.length <= LONGEST ? text : 'false';
  }
  return texts;
}

/**
 * The name of a DENY that has the new texts until those of `name` may change. One text with `||` would not do: it denies nothing if data of
 * either part is absent.
 */
export function nameOfSecond(name: string, texts: Texts): string {
  const base = name.slice(0, 230);
  const digest = createHash('sha256')
    .update(JSON.stringify([base, textsOf(texts)]))
    .digest('hex');
  return `${base} (next ${digest.slice(0, 12)})`;
}

const baseOf = (name: string): string | undefined => /^(.*) \(next [0-9a-f]{12}\)$/s.exec(name)?.[1];

/** A DENY that an apply made, which did not end. */
export function isSecond({ name, ...texts }: Texts & { name: string }): boolean {
  const base = baseOf(name);
  return base !== undefined && texts.effect === 'EFFECT_DENY' && nameOfSecond(base, texts) === name;
}

/**
 * The request with the ids that the service gave. A second DENY is named for its texts with these ids: by that, the next run finds it.
 * Its new name is learnt too.
 */
export function withKnown({ parameters, writes, ...one }: Step, learnt: Map<string, string>): Step {
  for (const { name, texts } of writes)
    if (texts !== undefined && isSecond({ name, ...texts }))
      learnt.set(name, nameOfSecond(baseOf(name)!, withLearnt(texts, learnt)));
  const named = (name: string): string => learnt.get(name) ?? name;
  const { policies } = parameters as { policies?: { policyName: string }[] };
  return {
    ...one,
    parameters: withLearnt(
      policies === undefined
        ? parameters
        : { policies: policies.map((policy) => ({ ...policy, policyName: named(policy.policyName) })) },
      learnt,
    ),
    writes: writes.map(({ name, texts }) => ({ name: named(name), texts: withLearnt(texts, learnt) })),
  };
}

/** The placeholder of such a policy's id. */
export const secondId = (name: string): string => placeholder(name.slice(-13, -1));

/** The text may read this tag, or which tags there are. As in policies, the case of ids does not count. */
export function readsTag(text: string, id: string): boolean {
  if (text.toLowerCase().includes(id.toLowerCase())) return true;
  const compared = text.match(/\btags\s*\.\s*contains\s*\(\s*(?:'[^']*'|"[^"]*")\s*\)/g)?.length ?? 0;
  return (text.match(/\btags\b/g)?.length ?? 0) > compared;
}
