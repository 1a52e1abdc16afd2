import type { Clock } from '../../base/clock.ts';
import type { Ids } from '../../base/ids.ts';
import type { Config } from '../../config.ts';
import type { PaymasterVault } from '../../custody/types.ts';
import type { Store } from '../../store/types.ts';
import type { Stored } from './stored.ts';

/** The parts that making a withdrawal needs. */
export type Parts = {
  store: Store;
  clock: Clock;
  ids: Ids;
  config: Pick<Config, 'sends'>;
  paymaster: PaymasterVault;
};

/** The known outcome of a withdrawal. `fee`: in the smallest unit. */
export type Outcome =
  | { is: 'waiting' }
  /** No node takes it, and another transaction is to take its nonce. */
  | { is: 'refused'; error: string }
  | { is: 'landed'; block: string; fee: bigint | undefined; error: string | undefined }
  | { is: 'failed'; error: string };

/** The user who ran the command, the time, and whether all was asked for. */
export type Asked = Pick<Stored, 'by' | 'at' | 'isAll'>;
