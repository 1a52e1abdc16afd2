import type { Clock } from '../../base/clock.ts';
import type { Ids } from '../../base/ids.ts';
import type { Config } from '../../config.ts';
import type { PaymasterVault } from '../../custody/types.ts';
import type { Store } from '../../store/types.ts';
import type { Stored } from './stored.ts';

/** What making a withdrawal takes. */
export type Parts = {
  store: Store;
  clock: Clock;
  ids: Ids;
  config: Pick<Config, 'sends'>;
  paymaster: PaymasterVault;
};

/** What became of one, as far as is known. `fee`: in the smallest unit. */
export type Outcome =
  | { is: 'waiting' }
  /** No node takes it, and another transaction is to take its nonce. */
  | { is: 'refused'; error: string }
  | { is: 'landed'; block: string; fee: bigint | undefined; error: string | undefined }
  | { is: 'failed'; error: string };

/** Who asked for it, and when; and what. */
export type Asked = Pick<Stored, 'by' | 'at' | 'isAll'>;
