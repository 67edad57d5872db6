import type { InputOf, OutputOf } from '@quipu/contract'
import {
  type CivilDate,
  type CorporateAction,
  isReverse,
  lastOf,
  newYorkDate,
  type Ticker,
} from '@quipu/core'
import { cusipOf } from '../../wire/cusip.ts'
import { refuse } from '../../wire/refusal.ts'
import type { Context, SomeHandlers } from '../context.ts'
import { worldOf } from './pages.ts'

type CorporateActionsQuery = InputOf<'corporateActions'>['query']
type Output = OutputOf<'corporateActions'>
type Groups = Output['corporate_actions']
type Group = keyof Groups

export const corporateActionDataHandlers = {
  corporateActions: ({ query }, context) => page(query, context),
  corporateActionsAlias: ({ query }, context) => page(query, context),
} satisfies SomeHandlers

function page(query: CorporateActionsQuery, context: Context): Output {
  const world = worldOf(context, {})
  const today = newYorkDate(world.clock.now())
  const [start, end] = [query.start ?? today, query.end ?? query.start ?? today]
  if (end < start) throw refuse({ code: 'endBeforeStart' })
  const wanted = [...world.view.actions.values()].filter((action) => isWanted(action, query, start, end))
  const sorted = wanted.sort((a, b) => (positionOf(a) < positionOf(b) ? -1 : 1))
  if (query.sort === 'desc') sorted.reverse()
  const from = query.page_token === undefined ? 0 : indexAfter(sorted, query.page_token)
  const listed = sorted.slice(from, from + query.limit)
  const isLast = from + query.limit >= sorted.length
  return {
    corporate_actions: grouped(listed),
    next_page_token: isLast ? null : tokenOf(lastOf(listed)),
  }
}

/** If the query has ids, they are the only filter. */
function isWanted(
  action: CorporateAction,
  query: CorporateActionsQuery,
  start: string,
  end: string,
): boolean {
  if (query.ids) return query.ids.includes(action.id)
  const names = namesOf(action)
  const processed = processedOn(action)
  return (
    query.region !== 'non_us' &&
    processed >= start &&
    processed <= end &&
    (!query.symbols || names.some((name) => query.symbols?.includes(name))) &&
    (!query.cusips || names.some((name) => query.cusips?.includes(cusipOf(name)))) &&
    (!query.types || query.types.some((type) => `${type}s` === groupOf(action)))
  )
}

const namesOf = (action: CorporateAction): readonly Ticker[] =>
  action.kind === 'symbolChange' ? [action.symbol, action.newSymbol] : [action.symbol]

/** The date of the postings: for a dividend its pay date. */
const processedOn = (action: CorporateAction): CivilDate =>
  action.kind === 'dividend' ? action.payDate : action.exDate

const positionOf = (action: CorporateAction): string => `${processedOn(action)}|${action.id}`
const tokenOf = (action: CorporateAction): string => Buffer.from(positionOf(action)).toString('base64url')

function indexAfter(sorted: readonly CorporateAction[], token: string): number {
  const index = sorted.findIndex((action) => tokenOf(action) === token)
  if (index < 0) throw refuse({ code: 'invalidPageToken' })
  return index + 1
}

function groupOf(action: CorporateAction): Group {
  switch (action.kind) {
    case 'split':
      return isReverse(action) ? 'reverse_splits' : 'forward_splits'
    case 'dividend':
      return 'cash_dividends'
    case 'symbolChange':
      return 'name_changes'
    case 'delisting':
      return action.price === undefined ? 'worthless_removals' : 'redemptions'
  }
}

function grouped(actions: readonly CorporateAction[]): Groups {
  const groups: Partial<Record<Group, unknown[]>> = {}
  for (const action of actions) {
    const group = groupOf(action)
    ;(groups[group] ??= []).push(recordOf(action))
  }
  return groups as Groups
}

const UNIT = 1_000_000_000

function recordOf(action: CorporateAction): Record<string, unknown> {
  const { id, symbol, exDate } = action
  const cusip = cusipOf(symbol)
  const processed = { process_date: processedOn(action) }
  switch (action.kind) {
    case 'split': {
      const names = isReverse(action) ? { old_cusip: cusip, new_cusip: cusip } : { cusip }
      const rates = { new_rate: Number(action.newRate) / UNIT, old_rate: Number(action.oldRate) / UNIT }
      const dates = { ex_date: exDate, record_date: exDate, payable_date: exDate }
      return { id, symbol, ...names, ...rates, ...processed, ...dates }
    }
    case 'dividend':
      return {
        id,
        symbol,
        cusip,
        rate: Number(action.rate) / UNIT,
        special: action.special,
        foreign: false,
        ...processed,
        ex_date: exDate,
        record_date: action.recordDate,
        payable_date: action.payDate,
      }
    case 'symbolChange': {
      const { newSymbol } = action
      return {
        id,
        old_symbol: symbol,
        old_cusip: cusip,
        new_symbol: newSymbol,
        new_cusip: cusipOf(newSymbol),
        ...processed,
      }
    }
    case 'delisting':
      return action.price === undefined
        ? { id, symbol, cusip, ...processed }
        : { id, symbol, cusip, rate: Number(action.price) / UNIT, ...processed, payable_date: exDate }
  }
}
