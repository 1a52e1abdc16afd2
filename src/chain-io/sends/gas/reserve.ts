import { errorsOf } from '../../../base/declared-errors.ts';
import { ApiError } from '../../../base/errors.ts';
import { type CoinPrice, formatUsd, type GasConfig, type GasReservation, microUsdOf } from '../../../model/gas.ts';
import { stepOf } from '../../../model/gas-window.ts';
import { type Organization, topLevelIdOf } from '../../../model/organization.ts';
import type { Send } from '../../../model/send.ts';
import type { Writer } from '../../../store/types.ts';

type Context = { store: Writer; organization: Organization; now: number };

/** `units`: the most that the send may cost, with replacements, in wei or lamports. `price`: of `sponsorOf`. */
export type Reservation = { sendId: string; units: bigint; price: CoinPrice };

/** The most old buckets deleted with each reservation, which makes at most eight. */
const SWEPT_AT_ONCE = 16;

const windowOf = ({ windowMinutes }: GasConfig): number => windowMinutes * 60_000;

/** An amount that does not fit now may fit when something has left the window. An amount above the limit by itself never fits. */
function over(whose: string, microUsd: number, limit: number, config: GasConfig): ApiError {
  const retryAfterMs = microUsd > limit ? undefined : stepOf(windowOf(config));
  return new ApiError(
    'GAS_LIMIT_EXCEEDED',
    `the gas sponsorship limit of ${whose} is too low for this send, which may cost up to ${formatUsd(microUsd)} USD`,
    retryAfterMs === undefined ? {} : { retryAfterMs },
  );
}

/** Throws GAS_LIMIT_EXCEEDED unless `more` fits. `total`: the cost of the whole send. The config row is locked meanwhile. */
async function requireFit({ store, organization, now }: Context, config: GasConfig, more: number, total: number): Promise<void> {
  const windowMs = windowOf(config);
  const { organizationId: payer, orgLimitMicroUsd, subOrgLimitMicroUsd } = config;
  const ofAll = await store.gas.spent(payer, now, windowMs);
  const isSub = organization.id !== payer;
  // A sub-organization is not told what others spent.
  if (ofAll + more > orgLimitMicroUsd)
    throw over(isSub ? 'the parent organization' : 'the organization', total, orgLimitMicroUsd, config);
  if (!isSub) return;
  const own = await store.gas.spent(organization.id, now, windowMs);
  if (own + more > subOrgLimitMicroUsd) throw over('this sub-organization', total, subOrgLimitMicroUsd, config);
}

/** Adds to the spending of the organization, and to that of its payer. */
async function add(store: Writer, { organizationId, payerId, reservedAt }: GasReservation, microUsd: number): Promise<void> {
  if (microUsd === 0) return;
  await store.gas.add(payerId, reservedAt, microUsd);
  if (organizationId !== payerId) await store.gas.add(organizationId, reservedAt, microUsd);
}

async function enabledConfig(store: Writer, organization: Organization): Promise<GasConfig> {
  const config = await store.gas.hold(topLevelIdOf(organization));
  if (!config?.enabled) throw new ApiError('SPONSORSHIP_DISABLED');
  return config;
}

/**
 * Reserves the cost of a sponsored send. Returns the reserved micro-USD. Throws SPONSORSHIP_DISABLED and GAS_LIMIT_EXCEEDED. Call
 * it inside the transaction that accepts the send, after its last write (also after `acceptSend`). It locks a row that all
 * sponsored sends of a top-level organization lock.
 */
export async function reserveGas(ctx: Context, { sendId, units, price }: Reservation): Promise<number> {
  const { store, organization, now } = ctx;
  const microUsd = microUsdOf(units, price);
  const config = await enabledConfig(store, organization);
  await requireFit(ctx, config, microUsd, microUsd);
  const reservation: GasReservation = {
    organizationId: organization.id,
    sendId,
    payerId: config.organizationId,
    reservedAt: now,
    microUsd,
    usdE18: String(price.usdE18),
    decimals: price.decimals,
  };
  await store.gas.insertReservation(reservation);
  await add(store, reservation, microUsd);
  await store.gas.sweep(now, SWEPT_AT_ONCE);
  return microUsd;
}
reserveGas.errors = errorsOf('SPONSORSHIP_DISABLED', 'SPONSORSHIP_UNAVAILABLE', 'GAS_LIMIT_EXCEEDED');

/** The price of the coin when the send was accepted. */
const priceOf = ({ usdE18, decimals }: GasReservation): CoinPrice => ({ usdE18: BigInt(usdE18), decimals });

async function set(store: Writer, reservation: GasReservation, microUsd: number): Promise<void> {
  const { organizationId, sendId } = reservation;
  // Written also if it is the same: metrics learn the cost from it.
  await store.gas.setReserved(organizationId, sendId, microUsd);
  if (microUsd !== reservation.microUsd) await add(store, reservation, microUsd - reservation.microUsd);
}

/** Every amount here is in addition to `spent`. */
type Spending = Pick<Send, 'organizationId' | 'id' | 'spent'>;

const costOf = ({ spent }: Spending, units: bigint, reservation: GasReservation): number =>
  microUsdOf(BigInt(spent) + units, priceOf(reservation));

/**
 * Reserves more for a send that may now cost `units`, in addition to `spent`. Nothing changes if that is reserved already. It
 * counts at the time of the acceptance.
 */
export async function raiseGas(ctx: Context, send: Spending, units: bigint): Promise<number> {
  const { store, organization } = ctx;
  const config = await enabledConfig(store, organization);
  const reservation = await store.gas.reservation(organization.id, send.id);
  if (reservation === undefined) throw new Error(`nothing was reserved for the send ${send.id}`);
  const microUsd = costOf(send, units, reservation);
  if (microUsd <= reservation.microUsd) return reservation.microUsd;
  await requireFit(ctx, config, microUsd - reservation.microUsd, microUsd);
  await set(store, reservation, microUsd);
  return microUsd;
}
raiseGas.errors = errorsOf(reserveGas);

/** The send's reservation, with the payer's row locked. Undefined: there is none. */
async function heldReservation(tx: Writer, { organizationId, id }: Spending): Promise<GasReservation | undefined> {
  const known = await tx.gas.reservation(organizationId, id);
  if (known === undefined) return undefined;
  await tx.gas.hold(known.payerId);
  // It may have been raised meanwhile.
  return (await tx.gas.reservation(organizationId, id)) ?? known;
}

/**
 * Settles the send's real cost at its end, in addition to `spent`. It is in wei or lamports, at the price of its acceptance. Call
 * it in a transaction of a lane, after its last write. It may be called again with another cost, for example after a
 * reorganization. Nothing happens without a reservation.
 */
export async function settleGas(tx: Writer, send: Spending, units: bigint): Promise<void> {
  const reservation = await heldReservation(tx, send);
  if (reservation !== undefined) await set(tx, reservation, costOf(send, units, reservation));
}

/** The send failed, and cost no more than it has spent. */
export const releaseGas = (tx: Writer, send: Spending): Promise<void> => settleGas(tx, send, 0n);

/**
 * As `raiseGas`, for a cost that is already spent, or for a transaction that must be signed. It counts whatever the limits say, and
 * leaves less for others. Nothing happens without a reservation.
 */
export async function coverGas(tx: Writer, send: Spending, units: bigint): Promise<void> {
  const reservation = await heldReservation(tx, send);
  if (reservation === undefined) return;
  const microUsd = costOf(send, units, reservation);
  if (microUsd > reservation.microUsd) await set(tx, reservation, microUsd);
}
