import { ID, type Samples } from '../../support/samples.ts';
import { velocityControl } from './support.ts';

/** Well-formed parameters of each operation's newest version. */
export const velocityControls: Samples = {
  CREATE_VELOCITY_CONTROL: () => velocityControl(),
  DELETE_VELOCITY_CONTROL: () => ({ velocityControlId: ID }),
  COUNTERSIGN_KEEP_VELOCITY_CONTROL: () => ({ velocityControlId: ID }),
};
