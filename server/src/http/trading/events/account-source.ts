import type { AccountId, ActivityPosition, Instant } from '@quipu/core'
import type { Committed } from '../../../journal/committed.ts'
import type { HistoryPart, HistoryQuery } from '../../../views/history.ts'
import type { World } from '../../../world/world.ts'
import type { Source } from '../../reading/follow.ts'

/** One message to the listeners of an account. Ids sort in the order of their events. */
export type Told = {
  readonly id: string
  readonly at: Instant
  /** Of the event behind it. */
  readonly seq: number
  readonly data: string
}

/** Where messages come from: what a committed event means, and a record of the past. */
export type Telling = {
  readonly part: HistoryPart
  readonly tell: (committed: Committed) => readonly Told[]
  readonly read: (record: string) => { readonly told: readonly Told[]; readonly place: ActivityPosition }
}

/** And the id behind which everything comes that happens after an event of this number. */
export type NumberedTelling = Telling & { readonly lastId: (at: Instant, seq: number) => string }

export type LineParts = {
  readonly world: World
  readonly accountId: AccountId
  readonly telling: Telling
  /** Earlier messages are not wanted. */
  readonly from: Instant
}

/** Rows of the past read in one question. */
const ROWS = 16

/** The messages of one account from an instant on: from the views, then as their events become durable. */
export function accountLine({ world, accountId, telling, from }: LineParts): Source<Told, string> {
  let query: HistoryQuery = {
    accountId,
    part: telling.part,
    after: (from - 1n) as Instant,
    direction: 'asc',
    limit: ROWS,
  }
  return {
    placeOf: ({ id }) => id,
    after: '',
    async *past() {
      const { views } = world
      const { seq } = world.view
      await world.engine.untilDurable(seq)
      await views.reached(seq)
      for (let rows: ReturnType<Telling['read']>[]; ; ) {
        rows = (await views.history(query)).map(telling.read)
        yield rows.flatMap(({ told }) => told)
        if (rows.length > 0) query = { ...query, beyond: rows.at(-1)!.place }
        if (rows.length < ROWS) return
      }
    },
    listen: (heard) =>
      world.listen((events) =>
        heard(events.flatMap((committed) => (concerns(committed, accountId) ? telling.tell(committed) : []))),
      ),
    attach: (carrier) => world.attach(carrier),
  }
}

/** Whether an event may have something to tell an account; what it books on it shows later. */
function concerns({ event, order, request }: Committed, accountId: AccountId): boolean {
  if (order) return order.accountId === accountId
  // Its issuer listens too.
  if (request) return true
  return 'posting' in event || ('accountId' in event && event.accountId === accountId)
}
