import { velocityControl } from '../../activities/velocity-controls/support.ts';
import { ID, type Samples } from '../../support/samples.ts';

/** Well-formed parameters of each operation's newest version. */
export const velocityControls: Samples = {
  get_velocity_control: () => ({ velocityControlId: ID }),
  list_velocity_controls: () => ({}),
  list_velocity_buckets: () => ({ velocityControlId: ID }),
  list_velocity_entries: () => ({ velocityControlId: ID }),
  replay_velocity_control: () => ({ velocityControl: velocityControl() }),
};
