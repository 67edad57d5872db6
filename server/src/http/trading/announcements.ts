import type { InputOf, OutputOf } from '@quipu/contract'
import {
  byDate,
  type CivilDate,
  type CorporateAction,
  format,
  isReverse,
  lookUp,
  newYorkDate,
} from '@quipu/core'
import { cusipOf } from '../../wire/cusip.ts'
import { refuse } from '../../wire/refusal.ts'
import type { SomeHandlers } from '../context.ts'
import { callersWorld } from '../services.ts'

type AnnouncementsQuery = InputOf<'listAnnouncements'>['query']
type AnnouncementRecord = OutputOf<'getAnnouncement'>

/** Splits and dividends are announced when an operator schedules them; the protocol has no other announcements. */
export const announcementHandlers = {
  listAnnouncements: ({ query }, context) => {
    const world = callersWorld(context)
    return context.state.read(world, ({ actions }) =>
      byDate(actions.values())
        .filter(isAnnounced)
        .filter((action) => isWanted(action, query))
        .map(announcementToWire),
    )
  },
  getAnnouncement: async ({ params: { id } }, context) => {
    const world = callersWorld(context)
    const action = await context.state.read(world, ({ actions }) => lookUp(actions, id))
    if (!action || !isAnnounced(action)) throw refuse({ code: 'announcementNotFound', id })
    return announcementToWire(action)
  },
} satisfies SomeHandlers

type Announced = CorporateAction & { readonly kind: 'split' | 'dividend' }

const isAnnounced = (action: CorporateAction): action is Announced =>
  action.kind === 'split' || action.kind === 'dividend'

function isWanted(action: Announced, query: AnnouncementsQuery): boolean {
  const { since = '', until = '', date_type = 'ex_date' } = query
  const day = datesOf(action)[date_type]
  return (
    query.ca_types.some((type) => type.toLowerCase() === action.kind) &&
    day >= since &&
    day <= until &&
    (query.symbol === undefined || query.symbol === action.symbol) &&
    (query.cusip === undefined || query.cusip === cusipOf(action.symbol))
  )
}

function datesOf(
  action: Announced,
): Record<'declaration_date' | 'ex_date' | 'record_date' | 'payable_date', CivilDate> {
  const { exDate } = action
  const isDividend = action.kind === 'dividend'
  return {
    declaration_date: newYorkDate(action.createdAt),
    ex_date: exDate,
    record_date: isDividend ? action.recordDate : exDate,
    payable_date: isDividend ? action.payDate : exDate,
  }
}

function announcementToWire(action: Announced): AnnouncementRecord {
  const { id, kind, symbol } = action
  const isDividend = action.kind === 'dividend'
  return {
    id,
    corporate_action_id: id,
    ca_type: kind,
    ca_sub_type: isDividend ? 'cash' : isReverse(action) ? 'reverse_split' : 'stock_split',
    initiating_symbol: symbol,
    initiating_original_cusip: cusipOf(symbol),
    target_symbol: symbol,
    target_original_cusip: cusipOf(symbol),
    ...datesOf(action),
    expiration_date: null,
    cash: isDividend ? format(action.rate) : '0',
    old_rate: isDividend ? '1' : format(action.oldRate),
    new_rate: isDividend ? '1' : format(action.newRate),
  }
}
