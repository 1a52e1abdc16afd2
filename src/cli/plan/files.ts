import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { LineCounter, parseDocument } from 'yaml';
import { z } from 'zod';
import { issueText } from '../../base/issue-text.ts';
import { UsageError } from '../client.ts';
import { readBounded } from '../given.ts';
import { type Place, placesIn } from './place.ts';

const MOST_FILES = 200;
const MOST_OF_A_KIND = 10_000;

const Effect = z
  .enum(['ALLOW', 'DENY', 'EFFECT_ALLOW', 'EFFECT_DENY'])
  .transform((effect) => `EFFECT_${effect.replace('EFFECT_', '')}` as 'EFFECT_ALLOW' | 'EFFECT_DENY');

const Name = z.string().min(1).max(255);
const Text = z.string().max(16_384, 'must have at most 16384 characters').default('');
const list = <T extends z.ZodType>(of: T) => z.array(of).max(MOST_OF_A_KIND).optional();

const Policy = z.strictObject({
  name: Name,
  effect: Effect,
  condition: Text,
  consensus: Text,
  time: Text,
  notes: z.string().max(4096, 'must have at most 4096 characters').default(''),
});
const User = z.strictObject({ name: Name, email: z.string().max(254).optional(), tags: z.array(Name).max(100).optional() });
/** The service's schema checks the members once names are replaced by ids. */
const Control = z.looseObject({ name: Name, identifier: Name });

const File = z.strictObject({
  organization: z.uuid().optional(),
  policies: list(Policy),
  tags: list(Name),
  users: list(User),
  controls: list(Control),
});

type Placed = { place(path?: readonly PropertyKey[], isKey?: boolean): Place };
export type WantedPolicy = z.output<typeof Policy> & Placed;
export type WantedUser = z.output<typeof User> & Placed;
export type WantedControl = { name: string; identifier: string; parameters: Record<string, unknown> } & Placed;
export type WantedTag = { name: string } & Placed;

export type Wanted = {
  organizations: { id: string; place: Place }[];
  policies: WantedPolicy[];
  tags: WantedTag[];
  users: WantedUser[];
  controls: WantedControl[];
  /** The kinds that some file has, if only as an empty list. */
  kinds: Set<string>;
};

/** Throws UsageError with the places of what is wrong. */
export function refuse(problems: readonly string[]): void {
  if (problems.length > 0) throw new UsageError(problems.slice(0, 50).join('\n'));
}

function parsed(file: string): { file: z.output<typeof File>; place: ReturnType<typeof placesIn> } {
  const lines = new LineCounter();
  const document = parseDocument(readBounded(file, 'cannot read the file').toString('utf8'), {
    lineCounter: lines,
    prettyErrors: false,
  });
  const place = placesIn(file, document, lines);
  for (const { pos, message } of document.errors) {
    const { line, col } = lines.linePos(pos[0]);
    throw new UsageError(`${file}:${line}:${col}: ${message}`);
  }
  const read = File.safeParse(document.toJS({ maxAliasCount: 100 }) ?? {}, { reportInput: true });
  if (read.success) return { file: read.data, place };
  const problems = read.error.issues.flatMap((issue) => {
    const keys = issue.code === 'unrecognized_keys' ? issue.keys : [undefined];
    return keys.map((key) =>
      key === undefined
        ? `${place(issue.path)}: ${String(issue.path.at(-1) ?? 'the file')} ${issueText(issue)}`
        : `${place([...issue.path, key], true)}: unknown member "${key}"`,
    );
  });
  throw new UsageError(problems.slice(0, 50).join('\n'));
}

function filesIn(folder: string): string[] {
  let names: string[];
  try {
    names = readdirSync(folder).filter((name) => /\.(?:ya?ml|json)$/.test(name));
  } catch (error) {
    throw new UsageError(`cannot read the folder ${folder}: ${(error as Error).message}`);
  }
  if (names.length === 0) throw new UsageError(`${folder} has no file that ends in .yaml, .yml or .json`);
  if (names.length > MOST_FILES) throw new UsageError(`${folder} has more than ${MOST_FILES} files`);
  return names.toSorted().map((name) => join(folder, name));
}

/** The files of a folder as one wish. */
export function readFolder(folder: string): Wanted {
  const wanted: Wanted = { organizations: [], policies: [], tags: [], users: [], controls: [], kinds: new Set() };
  for (const name of filesIn(folder)) {
    let read: ReturnType<typeof parsed>;
    try {
      read = parsed(name);
    } catch (error) {
      // Too many aliases, or deeper nesting than the stack has room for.
      throw error instanceof UsageError ? error : new UsageError(`${name}: ${(error as Error).message}`);
    }
    const { file, place } = read;
    const at =
      (kind: string, i: number) =>
      (path: readonly PropertyKey[] = [], isKey?: boolean) =>
        place([kind, i, ...path], isKey);
    for (const kind of ['policies', 'tags', 'users', 'controls'] as const) if (file[kind]) wanted.kinds.add(kind);
    if (file.organization) wanted.organizations.push({ id: file.organization.toLowerCase(), place: place(['organization']) });
    for (const [i, each] of (file.policies ?? []).entries()) wanted.policies.push({ ...each, place: at('policies', i) });
    for (const [i, each] of (file.tags ?? []).entries()) wanted.tags.push({ name: each, place: at('tags', i) });
    for (const [i, each] of (file.users ?? []).entries()) wanted.users.push({ ...each, place: at('users', i) });
    for (const [i, each] of (file.controls ?? []).entries())
      wanted.controls.push({ name: each.name, identifier: each.identifier, parameters: { ...each }, place: at('controls', i) });
  }
  refuse([
    ...twice(wanted.policies, 'policy', ({ name }) => name, ['name']),
    ...twice(wanted.tags, 'tag', ({ name }) => name, []),
    ...twice(wanted.users, 'user', ({ name }) => name, ['name']),
    ...twice(wanted.controls, 'control', ({ identifier }) => identifier, ['identifier']),
  ]);
  return wanted;
}

function twice<T extends Placed>(all: readonly T[], what: string, nameOf: (one: T) => string, path: readonly string[]): string[] {
  const first = new Map<string, T>();
  return all.flatMap((one) => {
    const before = first.get(nameOf(one));
    if (before === undefined) first.set(nameOf(one), one);
    return before === undefined
      ? []
      : [`${one.place(path)}: another ${what} has the name "${nameOf(one)}": ${before.place(path)}`];
  });
}
