import type { Fields, Tables } from './types.ts';

/** Shapes within a velocity control, by their place in it. They are the same in requests and answers. */
const CONTROL: Tables = {
  '': {
    velocityControlId: 'The UUID of the limit over time.',
    name: 'A name for people, at most 255 characters.',
    identifier:
      'How policies read it: `controls.` and this text. A lower-case letter, then at most 62 letters, digits and underscores.',
    dataSource: 'Which activities are counted: one of its two members.',
    aggregation: 'How it is counted, over which time, and what the result is compared with.',
    countersign: 'What the published interface has no members for. Other services do not know it.',
  },
  '.dataSource': {
    chainAssetTransfer: 'Counts what signatures take of the assets that it lists.',
    activityExecution: 'Counts executed activities, one each. Only the method COUNT is possible.',
  },
  '.dataSource.chainAssetTransfer': {
    definition: 'The assets, at most 100. Several are summed in whole units.',
    filter: 'Leaves out other kinds of activities. Absent: each kind that signs counts.',
    phase: 'When a transfer counts. Absent: when it is signed.',
  },
  '.dataSource.chainAssetTransfer.definition': {
    decimals: 'How many digits of an amount are behind the point, 0 to 255 as a text.',
  },
  '.dataSource.chainAssetTransfer.filter': { activity: 'The kinds that count, at most 100.' },
  '.dataSource.chainAssetTransfer.filter.activity': { activityType: 'One type of the kind. All its versions count.' },
  '.dataSource.chainAssetTransfer.phase': {
    signature: 'An empty object: a transfer counts when its signature is handed out.',
    submission: 'An empty object: a transfer counts when the service sends it.',
  },
  '.dataSource.activityExecution': { filter: 'Leaves out other kinds of activities. Absent: each kind counts.' },
  '.dataSource.activityExecution.filter': { activity: 'The kinds that count, at most 100.' },
  '.dataSource.activityExecution.filter.activity': { activityType: 'One type of the kind. All its versions count.' },
  '.aggregation': {
    method: 'SUM adds amounts in whole units. COUNT adds one for each transfer or activity.',
    operator: 'The control is true while the result compares so with the threshold.',
    threshold: 'In whole units, as a decimal text: at most 38 digits, of which 18 behind the point.',
    window: 'Over which time it is counted: one of its members.',
    groupBy: 'What has a counter of its own: one of its members.',
  },
  '.aggregation.window': {
    rolling: 'The time that ends now.',
    infinite: 'An empty object: since the control was created.',
  },
  '.aggregation.window.rolling': { duration: 'In seconds as a text, 60 to 31622400 (366 days).' },
  '.aggregation.groupBy': {
    organization: 'An empty object: one counter for all.',
    user: 'An empty object: one counter for each user who submits.',
    wallet: 'An empty object: one counter for each wallet, and for each key that belongs to none.',
  },
  '.countersign': {
    enforcement: 'POLICY: only policies that read it are bound. ALWAYS: it binds every signer, the root quorum too.',
    unreadable:
      'What happens to a transaction that cannot be read. REFUSE: it is refused. COUNT_ONLY_READABLE: its readable part counts.',
    fees: 'Whether fees of the network count as transfers.',
    groupBy: 'Divides counters further: by the signing public key, or by the recipient.',
    window: 'Replaces the window of the aggregation, which then is `infinite`.',
    scope: 'Counts only for these wallets, keys, users and tags. Absent: for all of the organization.',
    condition: 'An expression of the policy language: transfers count for which it is true. At most 16384 characters.',
    removalDelay: 'After how many seconds a deletion takes effect, as a text: at most 2592000 (30 days).',
  },
  '.countersign.window': {
    transaction: 'An empty object: each activity is compared alone.',
    calendar: 'A day, week or month of a time zone.',
  },
  '.countersign.window.calendar': {
    unit: 'A day, a week from Monday, or a month.',
    zone: 'A name of the IANA database, such as `Europe/Berlin`.',
  },
  '.countersign.scope': {
    walletIds: 'UUIDs of wallets, at most 1000.',
    privateKeyIds: 'UUIDs of keys that belong to no wallet, at most 1000.',
    userIds: 'UUIDs of users who submit, at most 1000.',
    userTagIds: 'UUIDs of tags: users who submit and have one of them, at most 1000.',
  },
};

const controlsAs = (shape: string): Tables =>
  Object.fromEntries(Object.entries(CONTROL).map(([place, fields]) => [`${shape}${place}`, fields]));

const ID: Fields = { velocityControlId: 'The UUID of the limit over time.' };

const BUCKET = 'The id of the user, wallet or key that the counter is for, with a signer behind `/`. Empty: the organization.';

const FREEZE: Fields = {
  organization: 'True: all keys of the organization. Its users, policies and votes go on.',
  reason: 'Why, for people. Queries show it.',
  keepSends: 'True: open sends go on. Otherwise they are cancelled where they can be.',
};

export const limitFields: Tables = {
  ...controlsAs('NewVelocityControl'),
  ...controlsAs('VelocityControl'),
  CreateVelocityControlIntent: controlsAs('')['']!,
  CreateVelocityControlResult: ID,
  DeleteVelocityControlIntent: ID,
  DeleteVelocityControlResult: ID,
  GetVelocityControlRequest: ID,
  GetVelocityControlResponse: { velocityControl: 'The wanted limit over time.' },
  ListVelocityControlsResponse: {
    velocityControls: 'Limits over time of the organization, in the order of their creation.',
    pageInfo: 'Where the next page begins, and whether there is one.',
  },
  BucketPages: { after: 'Continues behind this bucket: the `next` of the page before.' },
  ListVelocityBucketsRequest: ID,
  ListVelocityBucketsResponse: {
    velocityBuckets: 'A page of counters, in the order of their names.',
    next: 'The name of the last bucket, if there may be more.',
  },
  VelocityBucket: {
    bucket: BUCKET,
    counted: 'The result of the window now: whole units, or a number of transfers or activities.',
    left: 'How much more the control allows. Absent: it is no upper limit.',
    roomAt: 'When something leaves the window next. Absent: nothing ever does.',
  },
  ListVelocityEntriesRequest: { ...ID, bucket: `${BUCKET} Absent: the one of the organization.` },
  ListVelocityEntriesResponse: {
    velocityEntries: 'A page of what was counted, oldest first.',
    next: 'The UUID of the last activity, if there may be more.',
  },
  VelocityEntry: {
    activityId: 'The UUID of the activity that was counted.',
    bucket: BUCKET,
    amount: 'What it took, in whole units as a decimal text.',
    count: 'How many transfers or activities it counts as.',
  },
  CountersignFreezeIntent: FREEZE,
  CountersignUnfreezeIntent: FREEZE,
  Freeze: {
    ...FREEZE,
    activityId: 'The UUID of the activity that froze it.',
    frozenByUserId: 'The UUID of the user who submitted that activity.',
  },
  ListFreezesResponse: { freezes: 'Everything that is frozen in the organization.' },
};
