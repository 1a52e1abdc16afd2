/** What the service says beside a signed body: names of functions, what holds now, and what policies see. It decides nothing of a review. */
import { nowOf } from './asked-now.ts';
import { type Answer, type Ask, type Asking, asking, objects, texts } from './asking.ts';
import type { ServiceElement } from './compare-elements.ts';
import { recipientsIn } from './recipients.ts';
import type { Review, ReviewOptions, Token } from './types.ts';
import { hides } from './visible.ts';

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

const isDecimals = (value: unknown): value is number => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 36;

/** A longer one, or one that hides something, may say more than a symbol does. */
const LONGEST_SYMBOL = 32;

const isSymbol = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= LONGEST_SYMBOL && !hides(value) && !value.includes('\n');

/** A request has amounts of one chain. Messages may be for several. */
const MOST_CHAINS = 5;

/** Tokens that the operator named. Of others, and of networks that are not served, the review says that decimals are unknown. */
async function tokensOf(ask: Ask, { facts }: Review): Promise<Map<string, Token>> {
  const chains = texts(facts.map(({ asset }) => asset?.split('/')[0]));
  const answers = await Promise.all(
    chains.slice(0, MOST_CHAINS).map((caip2) => ask('list_supported_assets', { caip2 }).catch((): Answer => ({}))),
  );
  return new Map(
    answers.flatMap(({ assets }) =>
      objects(assets).flatMap(({ caip19, symbol, decimals }): [string, Token][] =>
        typeof caip19 === 'string' && isSymbol(symbol) && isDecimals(decimals) ? [[caip19, { symbol, decimals }]] : [],
      ),
    ),
  );
}

async function optionsOf(asker: Asking, review: Review, ask: Ask): Promise<ReviewOptions> {
  if (/^(?:SIGN_|ETH_|SOL_)/.test(review.kind)) {
    const [contractInterfaces, tokens] = await Promise.all([interfacesOf(asker), tokensOf(ask, review)]);
    return { contractInterfaces, tokens };
  }
  return { now: await nowOf(asker, review) };
}

/** `review`: of the body alone. */
export async function saidOf(review: Review, activityId: string, ask: Ask): Promise<Said> {
  const asker = asking(ask);
  const options = await optionsOf(asker, review, ask);
  const answer = review.elements.length > 0 ? await asker.asked('what policies see', 'review_activity', { activityId }) : {};
  const elements = objects(answer.elements).map(({ roots }) => ({ roots: objects(roots) as unknown as ServiceElement['roots'] }));
  const recipients = recipientsIn(answer);
  return { options: { ...options, ...(recipients && { recipients }) }, elements, missing: [...asker.missing] };
}
