import type { LedgerLeg, Output } from '@quipu/sdk'
import { account, accounts, world } from '../session/selection.ts'

type Named = Pick<LedgerLeg | Output<'listBalances'>['balances'][number], 'ledger_account' | 'account_id'>

/** `my account`, `account PA7A069A54F7`, `street`, `xstocks custody`. */
export function ownerName({ ledger_account: name, account_id: id }: Named): string {
  if (id === undefined) {
    const [kind = name, of] = name.split(':')
    return of === undefined ? kind : `${of} ${kind}`
  }
  return id === account.value?.id ? 'my account' : `account ${numberOf(id)}`
}

/** `my account, unsettled`, `street`. */
export const legName = (leg: Named): string =>
  leg.account_id === undefined
    ? ownerName(leg)
    : `${ownerName(leg)}, ${leg.ledger_account.slice(leg.ledger_account.lastIndexOf(':') + 1)}`

/** The number of an account that the viewer may see, otherwise the beginning of its id. */
function numberOf(id: string): string {
  const all = world.value?.accounts?.find((one) => one.account_id === id)?.account_number
  return all ?? accounts.value.find((one) => one.id === id)?.number ?? id.slice(0, 8)
}
