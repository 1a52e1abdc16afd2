export const WEBHOOK_EVENTS = [
  'ACTIVITY_UPDATES',
  'SEND_TRANSACTION_STATUS_UPDATES',
  'BALANCE_CONFIRMED_UPDATES',
  'BALANCE_FINALIZED_UPDATES',
  // Ours: the interface has none of limits.
  'COUNTERSIGN_VELOCITY_NEARLY_FULL',
] as const;

export type WebhookEventType = (typeof WEBHOOK_EVENTS)[number];

/** Events of any organization. The others reach only a top-level organization, which also gets those of its sub-organizations. */
const EVENTS_OF_ALL: ReadonlySet<string> = new Set<WebhookEventType>(['ACTIVITY_UPDATES', 'COUNTERSIGN_VELOCITY_NEARLY_FULL']);

export const isOfAll = (eventType: string): boolean => EVENTS_OF_ALL.has(eventType);

/** The event types that some endpoint of an organization wants: bit n is for the nth type. */
export const bitOf = (eventType: WebhookEventType): number => 1 << WEBHOOK_EVENTS.indexOf(eventType);

export const listens = (listeners: number, eventType: WebhookEventType): boolean => (listeners & bitOf(eventType)) !== 0;

export type WebhookSubscription = {
  eventType: WebhookEventType;
  /** JSON, as the client sent it; absent: every event of the type. */
  filtersJson?: string | undefined;
  isActive: boolean;
};

/** Whether it is that of the older feature `FEATURE_NAME_WEBHOOK`. It is neither listed nor counted. */
export const isOfFeature = ({ organizationId, id }: Pick<WebhookEndpoint, 'organizationId' | 'id'>): boolean =>
  id === organizationId;

/** A receiver of events, which an organization chose. */
export type WebhookEndpoint = {
  organizationId: string;
  id: string;
  url: string;
  name: string;
  isActive: boolean;
  /** Of different event types. Empty: the endpoint receives nothing. */
  subscriptions: readonly WebhookSubscription[];
  createdAt: number;
  updatedAt: number;
};

/** An endpoint, with what decides which events it gets. */
export type Subscriber = Pick<WebhookEndpoint, 'organizationId' | 'id' | 'subscriptions'>;

/** What deliveries need of an endpoint. `parentId`: of its organization. */
export type Receiver = Pick<WebhookEndpoint, 'organizationId' | 'id' | 'url' | 'name' | 'isActive' | 'updatedAt'> & {
  parentId: string | null;
};
