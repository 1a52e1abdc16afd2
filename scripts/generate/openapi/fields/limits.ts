import { FIRST_TEN } from './pages.ts';
import type { Fields, Tables } from './types.ts';

/** Shapes within a velocity control, by their place in it. They are the same in requests and answers. */
const CONTROL: Tables = {
  '': {
    velocityControlId: 'The UUID of the limit over time.',
    name: 'A name for people, at most 255 characters. Several controls may share one.',
    identifier:
      'Unique in the organization; policies read `controls.` and it. A lower-case letter, then at most 62 others, digits or `_`.',
    dataSource: 'Which activities are counted: one of its two members.',
    aggregation: 'How it is counted, over which time, and what the result is compared with.',
    countersign: 'What the published interface has no members for. Other services do not know it.',
  },
  '.dataSource': {
    chainAssetTransfer: 'Counts what signatures take of the assets that it lists.',
    activityExecution: 'Counts executed activities, one each, and no votes. Only the method `…_COUNT` is possible.',
  },
  '.dataSource.chainAssetTransfer': {
    definition: 'The assets, 1 to 100, each named once. Several are summed in whole units.',
    filter: 'Leaves out other kinds of activities. Absent: each kind that signs counts.',
    phase: 'When a transfer counts. Absent: when its signature is handed out, or its send accepted.',
  },
  '.dataSource.chainAssetTransfer.definition': {
    decimals: 'How many digits of an amount are behind the point, 0 to 255 as a text. Ether has `18`.',
  },
  '.dataSource.chainAssetTransfer.filter': { activity: 'The kinds that count, 1 to 100. Absent: every kind of the data source.' },
  '.dataSource.chainAssetTransfer.filter.activity': { activityType: 'One type of the kind. All its versions count.' },
  '.dataSource.chainAssetTransfer.phase': {
    signature: 'An empty object: a transfer counts when its signature is handed out, or its send accepted.',
    submission:
      'An empty object: the same, and a raw transaction that the service broadcasts counts too, unless it was counted before.',
  },
  '.dataSource.activityExecution': { filter: 'Leaves out other kinds of activities. Absent: each kind counts.' },
  '.dataSource.activityExecution.filter': { activity: 'The kinds that count, 1 to 100. Absent: every kind of the data source.' },
  '.dataSource.activityExecution.filter.activity': { activityType: 'One type of the kind. All its versions count.' },
  '.aggregation': {
    method: '`…_SUM` adds amounts in whole units. `…_COUNT` adds one for each transfer or activity.',
    operator: 'The control is true while the result, with the judged activity, compares so with the threshold.',
    threshold: 'A decimal text in whole units, or a number of transfers. At most 38 digits, of which 18 behind the point.',
    window: 'Over which time it is counted: `rolling` or `infinite`.',
    groupBy: 'What has a counter of its own: `organization`, `user` or `wallet`.',
  },
  '.aggregation.window': {
    rolling: 'The time that ends now.',
    infinite: 'An empty object: since the control was created.',
  },
  '.aggregation.window.rolling': { duration: 'Its length in seconds, as a text: `60` to `31622400` (366 days).' },
  '.aggregation.groupBy': {
    organization: 'An empty object: one counter for all.',
    user: 'An empty object: one counter for each user who submits.',
    wallet: 'An empty object: one counter for each wallet, and for each key that belongs to none.',
  },
  '.countersign': {
    enforcement:
      '`POLICY` (the default): only policies that read it are bound. `ALWAYS`: it binds every signer, the root quorum too.',
    unreadable:
      'How unreadable transactions count. `REFUSE` (the default): not allowed. `COUNT_ONLY_READABLE`: by their readable part.',
    fees: 'Whether the greatest fees that are signed add to the sum. Those of Bitcoin always do. Not with `COUNT`, and not by recipient.',
    groupBy:
      'Divides counters further. `signer`: by the signing public key. `recipient`: by the account that is paid or approved.',
    window: 'Replaces the window of the aggregation, which then must be `infinite`.',
    scope: 'Counts only for these wallets and keys, and for these users and tags. Absent: for all of the organization.',
    condition: 'An expression of the policy language: which transfers count. One whose evaluation fails counts.',
    removalDelay: 'Seconds from a deletion until it takes effect, as a text: `0` (the default) to `2592000` (30 days).',
  },
  '.countersign.window': {
    transaction: 'An empty object: each activity is compared alone.',
    calendar: 'A day, week or month of a time zone.',
  },
  '.countersign.window.calendar': {
    unit: '`day`, `week` (from Monday) or `month`.',
    zone: 'The time zone by its name in the IANA database, such as `Europe/Berlin`.',
  },
  '.countersign.scope': {
    walletIds: 'UUIDs of existing wallets, 1 to 1000. Absent beside `privateKeyIds`: no wallet is covered.',
    privateKeyIds: 'UUIDs of existing standalone keys, 1 to 1000. Absent beside `walletIds`: no standalone key is covered.',
    userIds: 'UUIDs of users, 1 to 1000, whose submissions count besides those by `userTagIds`.',
    userTagIds: 'UUIDs of user tags, 1 to 1000. Submissions of users with one of them count.',
  },
};

const controlsAs = (shape: string): Tables =>
  Object.fromEntries(Object.entries(CONTROL).map(([place, fields]) => [`${shape}${place}`, fields]));

const ID: Fields = { velocityControlId: 'The UUID of the limit over time.' };

const COUNTER = 'The UUID of the user, wallet or key, and `/` with a public key if signers are divided.';
const BUCKET = `${COUNTER} Empty: the organization.`;

const FREEZE: Fields = {
  organization: 'True: all keys of the organization. Its users, policies and votes go on. Absent: not this.',
  reason: 'Why, for people: 1 to 500 characters. Queries show it.',
  keepSends: 'True: accepted sends of the keys go on. False (the default): they are cancelled where they can be.',
};

/** A request names exactly one thing. */
const NAMED: Fields = {
  ...FREEZE,
  userId: 'The UUID of a user. Give exactly one of `userId`, `walletId`, `privateKeyId` and `organization`.',
  walletId: 'The UUID of a wallet, with all its accounts, in place of another thing.',
  privateKeyId: 'The UUID of a standalone key, in place of another thing.',
};

export const limitFields: Tables = {
  'ErrorDetail.window': { ...CONTROL['.aggregation.window'], ...CONTROL['.countersign.window'] },
  'ErrorDetail.window.rolling': CONTROL['.aggregation.window.rolling']!,
  'ErrorDetail.window.calendar': CONTROL['.countersign.window.calendar']!,
  ...controlsAs('NewVelocityControl'),
  ...controlsAs('VelocityControl'),
  CreateVelocityControlIntent: controlsAs('')['']!,
  CreateVelocityControlResult: ID,
  DeleteVelocityControlIntent: ID,
  DeleteVelocityControlResult: ID,
  CountersignKeepVelocityControlIntent: ID,
  GetVelocityControlRequest: ID,
  GetVelocityControlResponse: { velocityControl: 'The limit over time as it was declared, with its id and times.' },
  ListVelocityControlsResponse: {
    velocityControls: 'A page of limits over time, oldest first.',
    pageInfo: 'Where the next page begins, and whether there is one.',
  },
  BucketPages: { after: 'Continues behind this bucket: the `next` of the page before.' },
  ListVelocityBucketsRequest: { ...ID, paginationOptions: FIRST_TEN },
  ReplayVelocityControlRequest: {
    velocityControl: 'The draft, as CREATE_VELOCITY_CONTROL takes it.',
    fromMs: 'Only activities of this time or later, in milliseconds since the epoch.',
    untilMs: 'Only activities of this time or earlier, in milliseconds since the epoch. Default: now.',
    after: 'The `next` of the previous answer. It has the counters of the replay.',
  },
  ReplayVelocityControlResponse: {
    examined: 'How many executed activities were counted again, 500 at most in one answer.',
    activities: 'Those that the draft would have refused, oldest first. They are not counted.',
    velocityBuckets: 'The fullest counters, at most 100.',
  },
  'ReplayVelocityControlResponse.activities': {
    activityId: 'The UUID of the past activity.',
    bucket: 'The counter without room. Empty for that of the organization.',
    asked: 'What the activity takes, in whole units.',
    left: 'What the counter had left before it, in whole units.',
    unreadable: 'Why what the activity takes cannot be read. Absent if it can be.',
  },
  'ReplayVelocityControlResponse.velocityBuckets': {
    bucket: 'The counter. Empty for that of the organization.',
    most: 'The most that it had at any time, in whole units.',
  },
  ListVelocityBucketsResponse: {
    velocityBuckets:
      'A page of counters, in the order of their names: 10 unless the request says more. It has fewer if many entries are reserved. A counter appears when it first counts, apart from that of the organization.',
    next: 'The name of the last bucket, if there may be more.',
  },
  VelocityBucket: {
    bucket: BUCKET,
    counted: 'The result of the window now, as a decimal text: whole units, or a number of transfers or activities.',
    reserved:
      'The part of `counted` that sends have reserved, and that may be given back. Absent: activities are counted, or 1,000 entries of the bucket are reserved.',
    left: 'How much more fits until the threshold, as a decimal text. Absent: the control is no upper limit.',
    roomAt: 'When something leaves the window next. Absent: nothing does, or nothing was counted.',
  },
  ListVelocityEntriesRequest: { ...ID, bucket: `${COUNTER} Empty or absent: the organization.`, paginationOptions: FIRST_TEN },
  ListVelocityEntriesResponse: {
    velocityEntries: 'A page of what was counted, oldest first: 10 unless the request says more.',
    next: 'The UUID of the last activity, if there may be more.',
  },
  VelocityEntry: {
    entryId: 'Names the entry, for its release.',
    activityId: 'The UUID of the activity that was counted.',
    bucket: BUCKET,
    amount: 'What it took, in whole units as a decimal text.',
    count: 'How many transfers or activities it counts as.',
    state:
      '`RESERVED`: its send may still be mined, or be given back. `SPENT`: it counts until its window has passed. `RELEASED`: it counts no more.',
  },
  CountersignReleaseVelocityIntent: {
    entryId: 'Which reservation ends: the `entryId` that `list_velocity_entries` shows.',
    reason: 'Why, for people: 1 to 500 characters.',
  },
  CountersignReleaseVelocityResult: { entryId: 'The entry that counts no more.' },
  CountersignFreezeIntent: NAMED,
  CountersignUnfreezeIntent: NAMED,
  Freeze: {
    ...FREEZE,
    userId: 'The UUID of the frozen user. Absent: something else is frozen.',
    walletId: 'The UUID of the frozen wallet. Absent: something else is frozen.',
    privateKeyId: 'The UUID of the frozen standalone key. Absent: something else is frozen.',
    activityId: 'The UUID of the activity that froze it.',
    frozenByUserId: 'The UUID of the user who submitted that activity.',
  },
  ListFreezesResponse: {
    freezes: 'Everything that is frozen: users, wallets, standalone keys, and perhaps the organization itself.',
  },
  ListVelocityControlsRequest: { paginationOptions: FIRST_TEN },
};
