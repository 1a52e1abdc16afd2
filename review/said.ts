/** What the service says beside a signed body: names of functions, what holds now, and what policies see. It decides nothing of a review. */
import { nowOf } from './asked-now.ts';
import { type Ask, type Asking, asking, objects } from './asking.ts';
import type { ServiceElement } from './compare-elements.ts';
import { recipientsIn } from './recipients.ts';
import type { Review, ReviewOptions } from './types.ts';

export type { Ask } from './asking.ts';

/** `missing`: what could not be read, in words. */
export type Said = { options: ReviewOptions; elements: readonly ServiceElement[]; missing: readonly string[] };

/** By the contract's address. */
async function interfacesOf({ asked }: Asking): Promise<Map<string, string>> {
  const answer = await asked('the interfaces of contracts', 'list_smart_contract_interfaces');
  return new Map(
    objects(answer.smartContractInterfaces).flatMap(
      ({ smartContractAddress: address, smartContractInterface: text }): [string, string][] =>
        typeof address === 'string' && typeof text === 'string'
          ? [[address.startsWith('0x') ? address.toLowerCase() : address, text]]
          : [],
    ),
  );
}

async function optionsOf(asker: Asking, review: Review): Promise<ReviewOptions> {
  if (/^(?:SIGN_|ETH_|SOL_)/.test(review.kind)) return { contractInterfaces: await interfacesOf(asker) };
  return { now: await nowOf(asker, review) };
}

/** `review`: of the body alone. */
export async function saidOf(review: Review, activityId: string, ask: Ask): Promise<Said> {
  const asker = asking(ask);
  const options = await optionsOf(asker, review);
  const answer = review.elements.length > 0 ? await asker.asked('what policies see', 'review_activity', { activityId }) : {};
  const elements = objects(answer.elements).map(({ roots }) => ({ roots: objects(roots) as unknown as ServiceElement['roots'] }));
  const recipients = recipientsIn(answer);
  return { options: { ...options, ...(recipients && { recipients }) }, elements, missing: [...asker.missing] };
}
