import { issueText } from '../../base/issue-text.ts';
import { canonical } from './canonical.ts';
import type { WantedControl } from './files.ts';
import type { LiveControl } from './state.ts';
import { type Step, step } from './step.ts';

/** Checks controls as the service will, with ids for names. */
export async function wrongControls(wanted: readonly WantedControl[]): Promise<string[]> {
  if (wanted.length === 0) return [];
  // It takes a second to load.
  const { activities } = await import('../../activities/index.ts');
  const schema = activities.find(({ kind }) => kind === 'CREATE_VELOCITY_CONTROL')!.params.schema(1);
  return wanted.flatMap(({ parameters, place }) => {
    const read = schema.safeParse(parameters, { reportInput: true });
    return (read.error?.issues ?? []).flatMap((issue) => {
      if (issue.code === 'unrecognized_keys')
        return issue.keys.map((key) => `${place([...issue.path, key], true)}: unknown member "${key}"`);
      return [`${place(issue.path)}: ${String(issue.path.at(-1) ?? 'the control')} ${issueText(issue)}`];
    });
  });
}

/** A control is never changed in place. Those that another one replaces are removed last. */
export function controlSteps(
  wanted: readonly WantedControl[],
  live: readonly LiveControl[],
  isPruned: boolean,
): { steps: Step[]; wrong: string[]; removed: LiveControl[] } {
  const before = new Map(live.map((control) => [control.identifier, control]));
  const steps: Step[] = [];
  const wrong: string[] = [];
  for (const { identifier, parameters, place } of wanted) {
    const old = before.get(identifier);
    if (old === undefined) {
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
  }
  const names = new Set(wanted.map(({ identifier }) => identifier));
  const removed = isPruned ? live.filter(({ identifier }) => !names.has(identifier)) : [];
  for (const { id, identifier } of removed)
    steps.push(step('remove', 'delete_velocity_control', `delete control "${identifier}"`, { velocityControlId: id }));
  return { steps, wrong, removed };
}
