import { readFileSync } from 'node:fs';

type NotYet = { types: readonly string[]; paths: readonly string[] };

/** What the interface has and nothing serves. It shrinks by itself: `npm run generate` writes it, and a test compares. */
export const NOT_YET: NotYet = JSON.parse(readFileSync(new URL('not-yet.json', import.meta.url), 'utf8'));

/** Types that are refused for good, and why. */
export const REFUSED: Readonly<Record<string, string>> = {
  ACTIVITY_TYPE_SET_PAYMENT_METHOD: 'it carries card data, which is refused before anything reads it',
};

/** Queries that the public interface does not have. */
export const OURS_ALONE: readonly string[] = [
  'simulate_activity',
  'replay_policy',
  'list_freezes',
  'get_auth_proxy_config',
  'list_sends',
  'list_webhook_deliveries',
  'create_stream_ticket',
  'get_usage',
  'list_audit',
  'find_suborgs',
  'list_waiting_activities',
  'review_activity',
  'list_velocity_buckets',
  'list_velocity_entries',
  'replay_velocity_control',
];

/** Activities that the public interface does not have are called so, and none of its own ever is. */
export const isOurs = (kindOrType: string): boolean => /^(ACTIVITY_TYPE_)?COUNTERSIGN_/.test(kindOrType);

/** Why parts of the interface are not served, by their names. */
export const REASONS: readonly { what: string; names: RegExp; because: string }[] = [
  {
    what: 'swaps',
    names: /swap/i,
    because: 'a provider of liquidity makes the prices and the transactions: sign these with `eth_send_transaction`',
  },
  {
    what: 'earn',
    names: /earn/i,
    because: 'a provider of vaults holds the funds: call its contracts with `eth_send_transaction`',
  },
];
