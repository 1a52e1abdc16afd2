import { z } from 'zod';
import { toHex } from '../../base/bytes.ts';
import { sha256 } from '../../crypto/hash.ts';
import { privateKeysOf, usersOf } from '../../domain/listings.ts';
import { query } from '../../engine/query/declare.ts';
import { among } from '../../engine/query/listing.ts';
import type { ContractInterface } from '../../model/contract-interface.ts';
import { Id, IdOut } from '../../wire/common.ts';
import { Features, viewFeatures } from '../../wire/features.ts';
import { Invitation, viewInvitation } from '../../wire/invitations.ts';
import { Policy, viewPolicy } from '../../wire/policies.ts';
import { RootRecoveryOut, viewRootRecovery } from '../../wire/root-recovery.ts';
import { Tag, viewTag } from '../../wire/tags.ts';
import { User } from '../../wire/users.ts';
import { PrivateKeyOut, viewWallet, Wallet } from '../../wire/wallets.ts';

const InterfaceReference = z.object({ smartContractInterfaceId: IdOut, smartContractAddress: z.string(), digest: z.string() });

/** `digest`: SHA-256 of the interface as it was submitted. */
const viewReference = ({ id, address, interface: text }: ContractInterface): z.output<typeof InterfaceReference> => ({
  smartContractInterfaceId: id,
  smartContractAddress: address,
  digest: toHex(sha256(Buffer.from(text))),
});

export const getOrganization = query({
  name: 'get_organization',
  summary: 'The organization with all its resources; entries added to a list while it is read are left out',
  params: z.object({ organizationId: Id }),
  result: z.object({
    organizationData: z.object({
      organizationId: IdOut,
      name: z.string(),
      rootQuorum: z.object({ threshold: z.int(), userIds: z.array(IdOut) }),
      features: Features,
      countersignRootRecovery: RootRecoveryOut.optional(),
      users: z.array(User),
      policies: z.array(Policy),
      privateKeys: z.array(PrivateKeyOut),
      invitations: z.array(Invitation),
      tags: z.array(Tag),
      wallets: z.array(Wallet),
      smartContractInterfaceReferences: z.array(InterfaceReference),
    }),
  }),
  errors: [],
  async run({ organization, read }) {
    const { id, name, rootQuorum } = organization;
    return {
      member: 'organizationData',
      fields: {
        organizationId: id,
        name,
        rootQuorum,
        features: viewFeatures(organization.features),
        countersignRootRecovery: viewRootRecovery(organization),
      },
      lists: [
        among(usersOf(read, id)),
        among({ name: 'policies', page: (page) => read.policies.page(id, page), show: (some) => some.map(viewPolicy) }),
        among(privateKeysOf(read, id)),
        among({ name: 'invitations', page: (page) => read.invitations.page(id, page), show: (some) => some.map(viewInvitation) }),
        among({ name: 'tags', page: (page) => read.tags.page(id, undefined, page), show: (some) => some.map(viewTag) }),
        among({ name: 'wallets', page: (page) => read.wallets.page(id, page), show: (some) => some.map(viewWallet) }),
        among({
          name: 'smartContractInterfaceReferences',
          page: (page) => read.contractInterfaces.page(id, page),
          show: (some) => some.map(viewReference),
          // One interface may have 400 KB.
          rows: 10,
        }),
      ],
    };
  },
});
