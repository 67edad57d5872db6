import type { AccountSnapshot } from '../operations/reading/account-snapshot.ts'
import type { TypeOf } from '../shape/index.ts'

type Snapshot = TypeOf<typeof AccountSnapshot>
type Curve = NonNullable<Snapshot['curve']>

/**
 * The parts of a snapshot that changed since the last message; a part that is absent is as before. Records replace those
 * with the same id or symbol, or are new. Without any part it is a heartbeat.
 */
export type SnapshotChanges = Pick<Snapshot, 'time' | 'event' | 'clock'> &
  Partial<
    Pick<
      Snapshot,
      'account' | 'gain_today' | 'positions' | 'orders' | 'open_orders' | 'activities' | 'prices' | 'curve'
    >
  > & {
    /** Symbols of positions that ended. */
    readonly positions_ended?: readonly string[]
    /** Ids of orders that are not open any more, or not among the newest. */
    readonly orders_ended?: readonly string[]
    /** Open orders that changed and are not among the newest; at most 1,000, the last changed. */
    readonly orders_older?: Snapshot['orders']
    /** The last state of orders that ended, also of those that were never in `orders`; at most 1,000, the newest. */
    readonly orders_final?: Snapshot['orders']
    /** New points of the curve; they replace those from the first timestamp on. */
    readonly curve_points?: Pick<Curve, 'timestamp' | 'equity' | 'profit_loss' | 'profit_loss_pct'>
  }

/** A message of the event stream of a snapshot: first the whole, then what changed, at the latest every two seconds. */
export type SnapshotMessage =
  | { readonly event: 'snapshot'; readonly data: Snapshot }
  | { readonly event: 'changes'; readonly data: SnapshotChanges }
