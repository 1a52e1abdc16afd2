import { FIRST_TEN } from './pages.ts';
import type { Tables } from './types.ts';

const FEATURE_VALUE = 'What the feature is set to, such as the allowed origins; empty for mere switches.';

const ASKED = 'The UUID of the organization in which the request is carried out, or which it reads.';

export const organizationFields: Tables = {
  Request: { organizationId: ASKED },
  CreateOrganizationIntent: {
    organizationName: 'A label of the new top-level organization, at most 255 characters.',
  },
  CreateOrganizationResult: { organizationId: 'The UUID of the new top-level organization.' },
  UpdateOrganizationNameIntent: { organizationName: 'Replaces the organization’s label; at most 255 characters.' },
  UpdateOrganizationNameResult: {
    organizationId: 'The UUID of the renamed organization.',
    organizationName: 'The label as it is from now on.',
  },
  DeleteOrganizationIntent: { organizationId: 'The UUID of the request’s own organization, once more as a safeguard.' },
  DeleteOrganizationResult: { organizationId: 'The UUID of the organization that is gone for good.' },
  CreateSubOrganizationIntent: {
    name: 'A label of the new organization, at most 255 characters.',
    rootUsers: 'At least one user, at most 100. They decide about everything there.',
    wallet: 'A wallet with accounts that the new organization begins with. Absent: it has none.',
    privateKeys: 'Standalone keys of the new organization, at most 100.',
    verificationToken: 'Marks the contact of the first root user as verified.',
    clientSignature: 'Proves that the sender holds the key of the verification token.',
  },
  CreateSubOrganizationResult: {
    wallet: 'The first wallet, if one was asked for.',
    privateKeys: 'The new standalone keys, in the order of the request.',
  },
  SetOrganizationFeatureIntent: {
    name: 'The feature to switch on, or to change if it is on already.',
    value: 'What the feature needs, at most 4096 characters, such as origins separated by commas.',
  },
  SetOrganizationFeatureResult: { features: 'All features that are set from now on, by name.' },
  RemoveOrganizationFeatureIntent: { name: 'Which feature is switched off.' },
  RemoveOrganizationFeatureResult: { features: 'All features that are still set, by name.' },
  features: { name: 'Which feature it is, such as `FEATURE_NAME_WEBAUTHN_ORIGINS`.', value: FEATURE_VALUE },
  UpdateAllowedOriginsIntent: {
    allowedOrigins: 'Origins whose passkeys may stamp, such as `https://app.example.com`, at most 100. Empty: any.',
  },
  UpdateRootQuorumIntent: {
    threshold: 'How many of the users must agree: 1 to their number.',
    userIds: 'UUIDs of the root users from now on: 1 to 100, each once.',
  },
  rootQuorum: {
    threshold: 'How many root users must agree.',
    userIds: 'UUIDs of the root users.',
  },
  quorum: {
    threshold: 'How many root users must agree.',
    userIds: 'UUIDs of the root users.',
  },
  GetOrganizationResponse: { organizationData: 'Everything that the organization has, without secrets.' },
  organizationData: {
    organizationId: 'The UUID of the organization.',
    name: 'The label that people gave the organization.',
    users: 'All users with their credentials, oldest first, as in each list here.',
    policies: 'Rules about who may do what.',
    privateKeys: 'Standalone keys, without their secret half.',
    invitations: 'Sent invitations, also accepted ones.',
    tags: 'Tags of users and of keys.',
    wallets: 'Wallets, without their mnemonics.',
    rootQuorum: 'The users who may do everything, if enough of them agree.',
    features: 'Features that are switched on, by name.',
    smartContractInterfaceReferences: 'Contracts whose calls policies can read.',
    countersignRootRecovery: 'A recovery of root users by the operator, if one is pending or refused.',
  },
  smartContractInterfaceReferences: { digest: 'SHA-256 in hex of the interface, as it was submitted.' },
  RootRecoveryOut: {
    refused: 'Whether the organization refuses recoveries by the operator for ever.',
    pending: 'The recovery that will take effect unless it is refused.',
  },
  pending: {
    activityId: 'The UUID of the operator’s activity.',
    userId: 'The UUID of the root user who gets a new credential.',
  },
  GetOrganizationConfigsResponse: { configs: 'Features that are switched on, and the root quorum.' },
  configs: { features: 'Features that are switched on, by name.', quorum: 'How many root users must agree, and who they are.' },
  FindSuborgsRequest: {
    search: 'A whole id, name, email address or phone number, at most 255 characters. Absent: all are listed.',
    paginationOptions: FIRST_TEN,
  },
  'FindSuborgsRequest.paginationOptions': { after: 'A cursor: the id behind which the page begins.' },
  FindSuborgsResponse: {
    suborgs: 'Organizations directly below, oldest first: 10 unless the request says more.',
    next: 'The cursor of the next page, if there may be one.',
  },
  suborgs: {
    organizationId: 'The UUID of the sub-organization.',
    organizationName: 'The label of the sub-organization.',
  },
  ListSuborgsRequest: {
    filterType: 'What `filterValue` is. Absent: all sub-organizations are listed.',
    filterValue: 'The exact value of a user or organization. Characters at most: a token 16384, claims 2048, others 1024.',
    paginationOptions: FIRST_TEN,
  },
  ListSuborgsResponse: {
    organizationIds: 'UUIDs of organizations directly below, oldest first: 10 unless the request says more.',
  },
  ListVerifiedSuborgsRequest: {
    filterType: 'Which kind of contact `filterValue` is. Absent: any verified contact counts.',
    filterValue: 'The exact address or number, at most 1024 characters. Only verified contacts match.',
    paginationOptions: FIRST_TEN,
  },
  ListVerifiedSuborgsResponse: {
    organizationIds: 'UUIDs of organizations directly below with a user of this verified contact, oldest first.',
  },
  WhoamiResponse: {
    organizationId: 'The UUID of the organization that the stamping user belongs to.',
    organizationName: 'The label that people gave that organization.',
    userId: 'The UUID of the user who stamped.',
  },
  CreateReadOnlySessionResult: {
    organizationId: 'The UUID of the organization that the session reads.',
    organizationName: 'The label that people gave that organization.',
    userId: 'The UUID of the user as whom the session reads.',
    session: 'A secret text that reads as the user, in the header `X-Session`. Keep it like a password.',
  },
  CreateReadWriteSessionResult: {
    organizationId: 'The UUID of the organization of the new key’s user.',
    organizationName: 'The label that people gave that organization.',
    userId: 'The UUID of the user as whom the new key stamps.',
    username: 'The name of that user.',
  },
  InvitationParams: {
    receiverUserName: 'The name of the user that is made for the person, at most 255 characters.',
    receiverUserEmail: 'The mail with the link goes there, and the new user has it as email address.',
    receiverUserTags: 'UUIDs of tags that the new user has, at most 100.',
  },
  CreateInvitationsIntent: {
    invitations: 'People to invite, 1 to 100. Each gets a user, and a mail with a link that is valid for seven days.',
  },
  Invitation: {
    receiverUserName: 'The name of the invited person’s user.',
    receiverEmail: 'The mail with the link went there, and the person’s user has it as email address.',
    receiverUserTags: 'UUIDs of tags that the person’s user has.',
    status: '`INVITATION_STATUS_CREATED` (an expired one too), `…_ACCEPTED` or `…_REVOKED`.',
  },
  UserParams: {
    apiKeys: 'Public keys of the user’s first API keys, at most 100.',
    authenticators: 'The user’s first passkeys, at most 20.',
    oauthProviders: 'Accounts elsewhere by which the user logs in, at most 100.',
    userTags: 'UUIDs of tags that the user has, at most 100.',
  },
  ApiOnlyUserParams: {
    apiKeys: 'Public keys, at most 100, of which at least one does not expire.',
    userTags: 'UUIDs of tags that the user has, at most 100.',
  },
  RootUserParams: {
    apiKeys: 'Public keys of the user’s first API keys, at most 100.',
    authenticators: 'The user’s first passkeys, at most 20.',
    oauthProviders: 'Accounts elsewhere by which the user logs in, at most 100.',
  },
  User: {
    userId: 'The UUID that requests and policies name the user by.',
    apiKeys: 'Public halves of the user’s API keys and sessions.',
    authenticators: 'The user’s passkeys, each with its public key.',
    oauthProviders: 'Accounts elsewhere by which the user logs in.',
    userTags: 'UUIDs of the user’s tags, which policies can test.',
    mfaPolicies: 'Demands for further stamps of this user.',
  },
  CreateUsersIntent: { users: 'New users with their first credentials, 1 to 100: all are made or none.' },
  UpdateUserIntent: {
    userTagIds: 'UUIDs, at most 100, that replace all tags of the user. Absent: they stay.',
    userEmail: 'Replaces the email address. Empty removes it. Absent: it stays.',
    userPhoneNumber: 'Replaces the phone number, in E.164 form. Empty removes it. Absent: it stays.',
    userName: 'Replaces the name, at most 255 characters. Absent: it stays.',
    userId: 'The UUID of the user who is changed.',
  },
  UpdateUserEmailIntent: {
    userEmail: 'Replaces the address; empty removes it. It is unverified without a token.',
    verificationToken: 'Marks the new address as verified. It must be of this address.',
    userId: 'The UUID of the user who is changed.',
  },
  UpdateUserPhoneNumberIntent: {
    userPhoneNumber: 'Replaces the number, in E.164 form; empty removes it. It is unverified without a token.',
    verificationToken: 'Marks the new number as verified. It must be of this number.',
    userId: 'The UUID of the user who is changed.',
  },
  DeleteUsersIntent: { userIds: 'UUIDs of the users to delete, 1 to 100: all or none. Root users are refused.' },
  CreateUserTagIntent: { userIds: 'UUIDs of users that get the tag, at most 1000; it may be empty.' },
  CreateUserTagResult: { userIds: 'UUIDs of the users that got the tag.' },
  DeleteUserTagsResult: {
    userIds: 'UUIDs of users that had one of the tags.',
    userTagIds: 'UUIDs of the deleted tags, in the order of the request.',
  },
  CreatePrivateKeyTagIntent: { privateKeyIds: 'UUIDs of standalone keys that get the tag, at most 1000; it may be empty.' },
  DeletePrivateKeyTagsResult: {
    privateKeyIds: 'UUIDs of keys that had one of the tags.',
    privateKeyTagIds: 'UUIDs of the deleted tags, in the order of the request.',
  },
  CreateUsersResult: { userIds: 'UUIDs of the new users, in the order of the request.' },
  CreateApiOnlyUsersResult: { userIds: 'UUIDs of the new users, in the order of the request.' },
  DeleteUsersResult: { userIds: 'UUIDs of the deleted users, in the order of the request.' },
  GetUserResponse: { user: 'The user with their tags and credentials.' },
  ListUsersResponse: { users: 'All users or a page of them, oldest first.' },
  ListUserTagsResponse: { userTags: 'Tags that users can have, oldest first.' },
  ListPrivateKeyTagsResponse: { privateKeyTags: 'Tags that keys can have, oldest first.' },
  CreatePrivateKeyTagResult: { privateKeyIds: 'UUIDs of the standalone keys that got the tag.' },
  UpdateUserNameIntent: {
    userId: 'The UUID of the user who is changed.',
    userName: 'Replaces the name, at most 255 characters. Several users may share one.',
  },
};
