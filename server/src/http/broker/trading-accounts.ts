import {
  type Handlers,
  type InputOf,
  type Operation,
  type OperationName,
  operations,
  type tradingAccounts,
  type tradingPartners,
} from '@quipu/contract'
import type { AccountId } from '@quipu/core'
import { refuse } from '../../wire/refusal.ts'
import type { Context } from '../context.ts'
import type { AnyHandler } from '../handled.ts'
import { placeOf, readOf } from './partner-place.ts'

export type ForAccountName = keyof typeof tradingAccounts
export type ForPartnerName = keyof typeof tradingPartners
type Asked = Pick<InputOf<'getAccountForAccount'>, 'params' | 'headers'>

/** The handlers of trading, for partners: each is the one of the `/v2` operation, with the account of the path. */
export function tradingHandlers(
  here: Readonly<Record<string, unknown>>,
): Handlers<Context, ForAccountName | ForPartnerName> {
  const all: Record<string, AnyHandler> = {}
  for (const name of Object.keys(operations) as OperationName[]) {
    const [, base, whose] = /^(.+)For(Account|Partner)$/.exec(name) ?? []
    // The name is built from a pattern, so its type is not known here; the contract has declared both operations.
    const handler = base && (here[base] as AnyHandler | undefined)
    if (handler) all[name] = whose === 'Account' ? forAccount(name, handler) : forPartner(handler)
  }
  return all as Handlers<Context, ForAccountName | ForPartnerName>
}

const forPartner =
  (handler: AnyHandler): AnyHandler =>
  (input, context) => {
    placeOf(context, (input as Asked).headers)
    return handler(input, context)
  }

function forAccount(name: OperationName, handler: AnyHandler): AnyHandler {
  const { method }: Operation = operations[name]
  return async (input, context) => {
    const { headers, params } = input as Asked
    const place = placeOf(context, headers)
    const accountId = params.account_id as AccountId
    const closedAt = await readOf(context, place, accountId, (_, account) => account.closedAt)
    if (closedAt !== undefined && method !== 'GET') throw refuse({ code: 'accountIsClosed' })
    context.actFor(place.world, accountId)
    return handler(input, context)
  }
}
