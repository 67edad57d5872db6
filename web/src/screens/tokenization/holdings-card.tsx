import type { JSX } from 'preact'
import { add, type Decimal, decimal, signOf, subtract, ZERO } from '../../format/decimal.ts'
import { current, isStale } from '../../live/current.ts'
import { Quantity } from '../../parts/amounts.tsx'
import { Card } from '../../parts/card.tsx'
import { Shown } from '../../parts/shown.tsx'
import { Empty } from '../../parts/states.tsx'
import { accountRequests, tokens } from './live-requests.ts'
import type { AccountRequest } from './request-steps.ts'

type Held = {
  readonly token: string
  readonly symbol: string
  readonly tokens: Decimal
  readonly moving: Decimal
}

/** Completed mints less completed redeems, by token, in shares. */
function heldOf(all: readonly AccountRequest[]): readonly Held[] {
  const held = new Map<string, Held>()
  for (const { token_symbol: token, underlying_symbol: symbol, type, status, qty } of all) {
    if (status === 'rejected') continue
    const known = held.get(token) ?? { token, symbol, tokens: ZERO, moving: ZERO }
    const change = type === 'mint' ? add : subtract
    held.set(
      token,
      status === 'completed'
        ? { ...known, tokens: change(known.tokens, decimal(qty)) }
        : { ...known, moving: change(known.moving, decimal(qty)) },
    )
  }
  return [...held.values()].filter((one) => signOf(one.tokens) !== 0 || signOf(one.moving) !== 0)
}

/** What the account has as shares and as tokens. */
export function HoldingsCard(): JSX.Element {
  const positions = current.value?.store.positions.value ?? []
  const stale = isStale()
  return (
    <Card title="Your holdings" footer={<RedeemNote />}>
      <Shown of={accountRequests} what="the holdings" rows={2}>
        {(all) => {
          const held = heldOf(all)
          if (held.length === 0)
            return (
              <Empty icon="token" title="No tokens">
                Tokens of completed mints appear here beside the shares.
              </Empty>
            )
          return (
            <table>
              <thead>
                <tr>
                  <th>Token</th>
                  <th class="r">Minted, not redeemed</th>
                  <th class="r">Shares held</th>
                </tr>
              </thead>
              <tbody>
                {held.map((one) => (
                  <tr key={one.token}>
                    <td>
                      <b>{one.token}</b>
                    </td>
                    <td class="r">
                      <Quantity value={one.tokens} stale={stale} />
                    </td>
                    <td class="r">
                      <Quantity
                        value={positions.find(({ symbol }) => symbol === one.symbol)?.qty ?? '0'}
                        stale={stale}
                      />
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          )
        }}
      </Shown>
    </Card>
  )
}

function RedeemNote(): JSX.Element | null {
  if (!tokens.value.value) return null
  const wallets = [...new Set(tokens.value.value.flatMap(({ redemption_wallet: one }) => one ?? []))]
  return (
    <span>
      {wallets.length === 0
        ? 'In shares. The chain is simulated: an operator simulates the transfer that redeems.'
        : `In shares. To redeem, send tokens to ${wallets.slice(0, 2).join(' or ')}.`}
    </span>
  )
}
