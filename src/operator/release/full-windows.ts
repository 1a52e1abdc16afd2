import type { VelocityControl } from '../../model/velocity-control.ts';
import type { Reader, Store } from '../../store/types.ts';

/** Which limits over time count as full after a copy: those that bind every signer, all, or none. */
export const FULL_LIMITS = ['always', 'all', 'none'] as const;
export type FullLimits = (typeof FULL_LIMITS)[number];

/** Controls of one transaction. */
const BATCH = 200;

/** An activity alone has no past that a copy could lack. */
const isMeant = (which: FullLimits, { countersign }: VelocityControl): boolean =>
  countersign?.window?.transaction === undefined && (which === 'all' || countersign?.enforcement === 'ALWAYS');

async function eachPage(read: Reader, which: FullLimits, work: (meant: VelocityControl[]) => Promise<void>): Promise<number> {
  let [found, last]: [number, VelocityControl | undefined] = [0, undefined];
  while (which !== 'none') {
    const page: VelocityControl[] = await read.allVelocityControls.page(BATCH, last);
    const meant = page.filter((control) => isMeant(which, control));
    if (meant.length > 0) await work(meant);
    found += meant.length;
    last = page.at(-1);
    if (page.length < BATCH) break;
  }
  return found;
}

export const countMeant = (read: Reader, which: FullLimits): Promise<number> => eachPage(read, which, async () => {});

/** From now on the windows of these limits count as full, until this time has left them. Returns how many there are. */
export const fillWindows = (store: Store, which: FullLimits, now: () => number): Promise<number> =>
  eachPage(store.read, which, (meant) =>
    store.transaction(async (tx) => {
      for (const { organizationId, id } of meant) await tx.velocityControls.setFull(organizationId, id, now());
    }),
  );
