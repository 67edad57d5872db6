import {
  type Handlers,
  type InputOf,
  type Operation,
  type OperationName,
  operations,
  type tradingAccounts,
  type tradingPartners,
} from '@quipu/contract'
import { keysOf } from '@quipu/core/values'
import { refuse } from '../../wire/refusal.ts'
import type { AnyHandler, Context } from '../context.ts'
import { accessOf, readAccount } from './partner-access.ts'

export type ForAccountName = keyof typeof tradingAccounts
export type ForPartnerName = keyof typeof tradingPartners
type Input = Pick<InputOf<'getAccountForAccount'>, 'params' | 'headers'>

/** The trading handlers for partners: the handlers of `/v2`, with the account from the path. */
export function tradingHandlers(
  handlers: Readonly<Record<string, unknown>>,
): Handlers<Context, ForAccountName | ForPartnerName> {
  const all: Record<string, AnyHandler> = {}
  for (const name of keysOf(operations)) {
    const [, base, suffix] = /^(.+)For(Account|Partner)$/.exec(name) ?? []
    // The name is built from a pattern, so the compiler cannot check it; the contract declares both operations.
    const handler = base && (handlers[base] as AnyHandler | undefined)
    if (handler) all[name] = suffix === 'Account' ? forAccount(name, handler) : forPartner(handler)
  }
  return all as Handlers<Context, ForAccountName | ForPartnerName>
}

const forPartner =
  (handler: AnyHandler): AnyHandler =>
  (input, context) => {
    accessOf(context, (input as Input).headers)
    return handler(input, context)
  }

function forAccount(name: OperationName, handler: AnyHandler): AnyHandler {
  const { method }: Operation = operations[name]
  return async (input, context) => {
    const { headers, params } = input as Input
    const access = accessOf(context, headers)
    const accountId = params.account_id
    const closedAt = await readAccount(context, access, accountId, (_, account) => account.closedAt)
    if (closedAt !== undefined && method !== 'GET') throw refuse({ code: 'accountIsClosed' })
    context.actFor(access.world, accountId)
    return handler(input, context)
  }
}
