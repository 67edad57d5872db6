import type { ErrorName } from '../../errors.table.ts'
import type { Operation } from '../../operation.ts'
import { type Fields, type RecordShape, record } from '../../shape/index.ts'
import { account } from '../trading/account.ts'
import { activities } from '../trading/activities.ts'
import { announcements } from '../trading/announcements.ts'
import { assets, optionContracts } from '../trading/assets.ts'
import { calendar } from '../trading/calendar.ts'
import { orderPreview } from '../trading/order-preview.ts'
import { orders } from '../trading/orders.ts'
import { portfolioHistory } from '../trading/portfolio-history.ts'
import { positions } from '../trading/positions.ts'
import { wallets } from '../trading/unsupported.ts'
import { watchlists } from '../trading/watchlists.ts'
import { accountParam, inPartnerWorld } from './accounts.ts'

/*
 * The Broker API has the operations of trading for partners: those of an account below
 * /v1/trading/accounts/{account_id}, and those that concern no account below /v1. Both derive from the /v2 declarations.
 */

const common = { ...assets, ...calendar, ...announcements, ...optionContracts }
const trading = {
  ...account,
  ...activities,
  ...portfolioHistory,
  ...orders,
  ...orderPreview,
  ...positions,
  ...watchlists,
  ...wallets,
  ...common,
}

type FieldsIn<O, Key extends string> = O extends { readonly [K in Key]: { readonly fields: infer F } }
  ? F
  : Record<never, never>
type Merged<A, B> = {
  readonly [K in keyof A | keyof B]: K extends keyof B ? B[K] : K extends keyof A ? A[K] : never
}
type RecordFor<F> = F extends Fields ? RecordShape<F> : never

/** An account operation as the partner of the account calls it. */
type ForPartner<O, Params> = Omit<
  O,
  'path' | 'family' | 'who' | 'scope' | 'params' | 'headers' | 'errors'
> & {
  readonly path: string
  readonly family: 'broker'
  readonly who: readonly ['partner']
  readonly scope: 'never'
  readonly params: RecordFor<Merged<Params, FieldsIn<O, 'params'>>>
  readonly headers: RecordFor<Merged<typeof inPartnerWorld.fields, FieldsIn<O, 'headers'>>>
  readonly errors: readonly ErrorName[]
}

type Derived<Ops, Suffix extends string, Params> = {
  readonly [Name in keyof Ops as Ops[Name] extends { readonly path: `/v2/${string}` }
    ? `${Name & string}${Suffix}`
    : never]: ForPartner<Ops[Name], Params>
}

type Rules = {
  readonly suffix: string
  readonly prefix: string
  readonly params: Fields
  readonly errors: readonly ErrorName[]
}

const derived = (
  declared: Readonly<Record<string, Operation>>,
  rules: Rules,
): Readonly<Record<string, Operation>> =>
  Object.fromEntries(
    Object.entries(declared)
      .filter(([, { path }]) => path.startsWith('/v2/'))
      .map(([name, one]) => [
        name + rules.suffix,
        {
          ...one,
          path: rules.prefix + one.path.slice('/v2'.length),
          family: 'broker',
          who: ['partner'],
          scope: 'never',
          params: record({ ...rules.params, ...one.params?.fields }),
          headers: record({ ...inPartnerWorld.fields, ...one.headers?.fields }),
          errors: [...new Set([...one.errors, 'invalidParameter' as const, ...rules.errors])],
        },
      ]),
  )

export const FOR_ACCOUNT = 'ForAccount'
export const FOR_PARTNER = 'ForPartner'

export const tradingAccounts = derived(trading, {
  suffix: FOR_ACCOUNT,
  prefix: '/v1/trading/accounts/{account_id}',
  params: accountParam,
  errors: ['worldNotFound', 'accountNotFound', 'accountIsClosed'],
}) as Derived<typeof trading, typeof FOR_ACCOUNT, typeof accountParam>

export const tradingPartners = derived(common, {
  suffix: FOR_PARTNER,
  prefix: '/v1',
  params: {},
  errors: ['worldNotFound'],
}) as Derived<typeof common, typeof FOR_PARTNER, Record<never, never>>
