import { issueText } from '../../base/issue-text.ts';
import { canonical } from './canonical.ts';
import type { WantedControl } from './files.ts';
import type { LiveControl } from './state.ts';
import { type Step, step } from './step.ts';

/** Controls as the service takes them, with ids in lower case, and what is wrong with them. Their names are ids already. */
export async function checkedControls(
  wanted: readonly WantedControl[],
): Promise<{ controls: readonly WantedControl[]; wrong: string[] }> {
  if (wanted.length === 0) return { controls: wanted, wrong: [] };
  // It takes a second to load.
  const { activities } = await import('../../activities/index.ts');
  const schema = activities.find(({ kind }) => kind === 'CREATE_VELOCITY_CONTROL')!.params.schema(1);
  const wrong: string[] = [];
  const controls = wanted.map((one) => {
    const read = schema.safeParse(one.parameters, { reportInput: true });
    for (const issue of read.error?.issues ?? [])
      if (issue.code === 'unrecognized_keys')
        for (const key of issue.keys) wrong.push(`${one.place([...issue.path, key], true)}: unknown member "${key}"`);
      else wrong.push(`${one.place(issue.path)}: ${String(issue.path.at(-1) ?? 'the control')} ${issueText(issue)}`);
    return read.success ? { ...one, parameters: read.data as WantedControl['parameters'] } : one;
  });
  return { controls, wrong };
}

const delayOf = ({ parameters }: LiveControl): number => Number(parameters.countersign?.removalDelay ?? 0);

export type ControlSteps = {
  steps: Step[];
  wrong: string[];
  notes: string[];
  pruned: readonly LiveControl[];
  /** Those that bind when all requests are done: a deletion may take effect later. */
  kept: readonly LiveControl[];
};

/** A control is never changed in place. Those that another one replaces are removed last. */
export function controlSteps(wanted: readonly WantedControl[], live: readonly LiveControl[], isPruned: boolean): ControlSteps {
  const before = new Map(live.map((control) => [control.identifier, control]));
  const steps: Step[] = [];
  const wrong: string[] = [];
  const lenient: string[] = [];
  for (const { identifier, parameters, place } of wanted) {
    const old = before.get(identifier);
    if (old === undefined) {
      const { unreadable } = (parameters.countersign ?? {}) as { unreadable?: string };
      if (unreadable === 'COUNT_ONLY_READABLE')
        lenient.push(`The control "${identifier}" lets through what cannot be read, such as a digest, and does not count it.`);
      const details = JSON.stringify(parameters, null, 2).split('\n');
      steps.push(
        step('controls', 'create_velocity_control', `create control "${identifier}", which starts at zero`, parameters, {
          details,
        }),
      );
    } else if (canonical(old.parameters) !== canonical(parameters))
      wrong.push(
        `${place(['identifier'])}: the control "${identifier}" differs from the one in force, and a control is never changed in place. ` +
          'Give it a new identifier: the new control starts at zero. Then --prune=controls deletes the old one',
      );
    else if (old.removesAt !== undefined)
      wrong.push(
        `${place(['identifier'])}: the control "${identifier}" is removed at ${old.removesAt}. Keep it by ` +
          `COUNTERSIGN_KEEP_VELOCITY_CONTROL, with the id ${old.id}, or give the control in the file a new identifier`,
      );
  }
  const names = new Set(wanted.map(({ identifier }) => identifier));
  const others = live.filter(({ identifier }) => !names.has(identifier));
  const leaving = others.flatMap(({ identifier, removesAt }) =>
    removesAt === undefined ? [] : [`The control "${identifier}" binds until it is removed at ${removesAt}.`],
  );
  const notes = [...lenient, ...leaving];
  const pruned = isPruned ? others.filter(({ removesAt }) => removesAt === undefined) : [];
  for (const control of pruned) {
    const delay = delayOf(control);
    const title = `delete control "${control.identifier}"${delay > 0 ? `, which binds for ${delay} s more` : ''}`;
    steps.push(step('remove', 'delete_velocity_control', title, { velocityControlId: control.id }));
  }
  const kept = live.filter((control) => !pruned.includes(control) || delayOf(control) > 0);
  return { steps, wrong, notes, pruned, kept };
}
