import type { JSX } from 'preact'
import { current } from '../live/current.ts'
import { Icon } from '../parts/icon.tsx'
import { place } from '../router.ts'
import { account, accounts, endedAccounts } from '../session/selection.ts'

/** What the viewer must know about the account: it is not the one of the address, was closed, or is blocked. */
export function AccountBanner(): JSX.Element | null {
  const text = missingText() ?? blockedText()
  if (text === undefined) return null
  return (
    <div class="banner" role="status">
      <Icon name="warning" />
      <span>{text}</span>
    </div>
  )
}

function missingText(): string | undefined {
  const shown = account.value?.number
  const instead = shown === undefined ? '' : ` You see ${shown}.`
  const named = place.value.query.get('account')
  const ended = endedAccounts.value.find(({ number }) => named === null || number === named)
  if (ended) return `Account ${ended.number} was closed.${instead}`
  if (named === null || shown === undefined || accounts.value.some(({ number }) => number === named))
    return undefined
  return `There is no open account ${named} in this world that you may see.${instead}`
}

function blockedText(): string | undefined {
  const known = current.value?.store.account.value
  if (!known) return undefined
  const { account_blocked: isBlocked, trading_blocked: noTrading, transfers_blocked: noTransfers } = known
  if (isBlocked || (noTrading && noTransfers))
    return 'This account is blocked: orders and transfers are refused. Open orders can be canceled.'
  if (noTrading) return 'Trading is blocked: orders of this account are refused. Open orders can be canceled.'
  return noTransfers ? 'Transfers are blocked: no money or shares move in or out of this account.' : undefined
}
