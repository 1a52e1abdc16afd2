import { createSecretKey, type KeyObject } from 'node:crypto';
import { zero } from '../../base/bytes.ts';
import { isOfSameSet, readShare, type Share, ShareError } from '../../crypto/slip39/share.ts';
import { combineSecret } from '../../crypto/slip39/slip39.ts';
import { ROOT_KEY_BYTES } from './shares.ts';

/** 320,000 rounds of key stretching: a tenth of a second. A share could ask for a thousand times as many. */
const MOST_EXPONENT = 5;

/** `need`: undefined before the first share, which says it. */
export type Gathered = { have: number; need: number | undefined };

/** Shares of one root key that come one after another. */
export type Gathering = {
  state(): Gathered;
  /** Returns the number of the share, from 1. Throws ShareError, and keeps what it had. */
  add(text: string): number;
  /** The key, if enough shares are here. All are wiped then. Throws ShareError if they do not fit each other. */
  rebuilt(): Promise<KeyObject | undefined>;
  wipe(): void;
};

function check(share: Share): void {
  if (share.groupCount > 1) throw new ShareError('the share is of a set with several groups, which this program does not take');
  if (share.value.length !== ROOT_KEY_BYTES) throw new ShareError('the share is of no root key: its secret has another length');
  if (share.exponent > MOST_EXPONENT) throw new ShareError('the share asks for too many rounds of key stretching');
}

export function gatherShares(): Gathering {
  let shares: Share[] = [];

  function compare(share: Share): void {
    const [first] = shares;
    if (first === undefined) return;
    const same = shares.find(({ index }) => index === share.index);
    if (same?.value.equals(share.value)) throw new ShareError(`share ${share.index + 1} was given already`);
    if (same !== undefined || !isOfSameSet(share, first) || share.threshold !== first.threshold)
      throw new ShareError(`share ${share.index + 1} is of another set than share ${first.index + 1}, which was given first`);
  }

  const forget = (gone: readonly Share[]): void => {
    for (const { value } of gone) zero(value);
  };

  const all: Gathering = {
    state: () => ({ have: shares.length, need: shares[0]?.threshold }),
    add(text) {
      const share = readShare(text);
      try {
        check(share);
        compare(share);
      } catch (error) {
        forget([share]);
        throw error;
      }
      shares.push(share);
      return share.index + 1;
    },
    async rebuilt() {
      const { have, need } = all.state();
      if (have !== need) return undefined;
      const taken = shares;
      shares = [];
      try {
        const bytes = await combineSecret(taken);
        try {
          return createSecretKey(bytes);
        } finally {
          zero(bytes);
        }
      } finally {
        forget(taken);
      }
    },
    wipe() {
      forget(shares);
      shares = [];
    },
  };
  return all;
}
