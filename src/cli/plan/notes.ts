import { canonical } from './canonical.ts';
import type { Wanted, WantedPolicy } from './files.ts';
import type { PolicyChange } from './policies.ts';
import type { Live } from './state.ts';
import { readsTag, textOf, textsOf } from './texts.ts';

/** Others that a rename leaves, and policies that are in no file. */
export function policyNotes(
  changes: readonly PolicyChange[],
  live: Live,
  wanted: readonly WantedPolicy[],
  prune: ReadonlySet<string>,
): string[] {
  const names = new Set(wanted.map(({ name }) => name));
  const others = live.policies.filter(({ name }) => !names.has(name));
  const notes: string[] = [];
  for (const { name, before, after } of changes) {
    if (before !== undefined || after === undefined) continue;
    const old = others.find((policy) => canonical(textsOf(policy)) === canonical(textsOf(after)));
    if (old === undefined) continue;
    const what = prune.has('policies') ? 'is deleted' : 'stays, since --prune=policies was not given';
    notes.push(`A policy is matched by its name. "${name}" is created with the texts of "${old.name}", which ${what}.`);
  }
  if (others.length > 0 && !prune.has('policies'))
    notes.push(
      `${others.length} ${others.length === 1 ? 'policy is' : 'policies are'} in no file and will stay: --prune=policies deletes them.`,
    );
  return notes;
}

const SHOWN = 5;

/** Members of tags that an ALLOW newly reads: it allows them something, and no file tells of them. */
export function memberNotes(changes: readonly PolicyChange[], live: Live, wanted: Wanted): string[] {
  const names = new Set(wanted.tags.map(({ name }) => name));
  const given = wanted.users.filter(({ tags }) => tags !== undefined);
  const others = live.users.filter(
    ({ name, email }) => !given.some((one) => one.name === name && (one.email ?? email).toLowerCase() === email),
  );
  const widening = changes.flatMap(({ after, isDecisive }) =>
    isDecisive && after?.effect === 'EFFECT_ALLOW' ? [{ name: after.name, text: textOf(after) }] : [],
  );
  return live.tags.flatMap(({ id, name }) => {
    const members = others.filter(({ tagIds }) => tagIds.includes(id));
    const reader = names.has(name) && members.length > 0 && widening.find(({ text }) => readsTag(text, id));
    if (!reader) return [];
    const shown = members.slice(0, SHOWN).map((user) => `"${user.name}"`);
    const more = members.length > SHOWN ? ` and ${members.length - SHOWN} more` : '';
    return [
      `The policy "${reader.name}" may read the tag "${name}", which no file gives to its members ${shown.join(', ')}${more}.`,
    ];
  });
}
