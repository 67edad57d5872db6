import { computed } from '@preact/signals'
import { place, setQuery } from '../../router.ts'
import { account } from '../../session/selection.ts'

/** The balance and the postings on screen; they are part of the address. */
export type Choice = {
  /** `mine`, the id of another account, or the name of a ledger account of the house. */
  readonly of: string
  /** undefined: all assets, for the postings of an order. */
  readonly asset: string | undefined
  readonly order: string | undefined
  /** A bar of the waterfall. */
  readonly group: string | undefined
  /** The number of the open posting. */
  readonly event: number | undefined
}

export const CASH = 'USD'
export const MINE = 'mine'

export const choice = computed<Choice>(() => {
  const { query } = place.value
  const read = (name: string) => query.get(name) ?? undefined
  const order = read('order')
  const event = Number(read('event'))
  return {
    of: read('of') ?? MINE,
    asset: read('asset') ?? (order === undefined ? CASH : undefined),
    order,
    group: read('group'),
    event: event > 0 ? event : undefined,
  }
})

/** Shows another balance; the filters of the one before end. */
export const chooseBalance = (of: string, asset: string): void =>
  setQuery({
    of: of === MINE ? undefined : of,
    asset: asset === CASH ? undefined : asset,
    order: undefined,
    group: undefined,
    event: undefined,
  })

export const chooseGroup = (group: string | undefined): void => setQuery({ group, event: undefined })
export const chooseEvent = (event: number | undefined): void =>
  setQuery({ event: event === undefined ? undefined : `${event}` })

type Owned = { readonly ledger_account: string; readonly account_id?: string | undefined }

/** Whose a leg or a balance is, as `of` of a choice. */
export const ownerOf = ({ ledger_account: name, account_id: id }: Owned): string =>
  id === undefined ? name : id === account.value?.id ? MINE : id
